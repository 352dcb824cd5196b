"""The Markdown reader, on which other tests rely, is correct."""

from tests.house.markdown import Block, Command, anchors, code_blocks, commands, links, shows

PAGE = """\
# A page, with `code` in its title

See [the reference](reference.md#names "title") and ![a picture](pictures/a.png), not `[this](nowhere.md)`.

```python
print(1)
```

```text
1
```

1. A list:

    ```console
    $ glassrank data \\
        --help
    Usage: …
    $ glassrank --version
    ```

```text
# no heading, [no link](nowhere.md)
```
"""


def test_blocks_are_in_order_with_line_and_output():
    python, console, text = code_blocks(PAGE)
    assert python == Block("python", 6, "print(1)\n", "1\n")
    assert (console.language, console.line) == ("console", 16)
    assert console.text.startswith("$ glassrank data \\\n    --help\n")
    assert text.output is None


def test_commands_are_read_with_continued_lines_and_output():
    console = code_blocks(PAGE)[1]
    assert commands(console.text) == [
        Command("glassrank data \\\n    --help", "Usage: …\n"),
        Command("glassrank --version", ""),
    ]


def test_links_and_headings_inside_code_do_not_count():
    assert links(PAGE) == ["reference.md#names", "pictures/a.png"]
    assert anchors(PAGE) == {"a-page-with-code-in-its-title"}


def test_only_an_ellipsis_matches_anything():
    assert shows("a … d\n", "a b\nc d  \n\n")
    assert shows("0.5\n...\n", "0.5\nmore\n")
    assert not shows("0.5\n", "0.51\n")
    assert not shows("a.c\n", "abc\n")
