"""Commands about logs of search engines and judgements."""
