"""A crawl of a university web as it was stored in 1997: encoded names, HTTP headers in the files, upper-case tags."""

import random
from pathlib import Path

from tests.data.web.sites import write_tar

HOSTS = ("www.cs.cornell.edu", "cs.cornell.edu", "www.cs.utexas.edu", "www.cs.wisc.edu", "ftp.cs.wisc.edu")
TOPICS = ("compilers", "databases", "networks", "robotics")
_HEADERS = (
    "Date: Thu, 07 Nov 1996 19:12:47 GMT\nServer: NCSA/1.5\nMIME-version: 1.0\nContent-type: text/html\n"
    "Last-modified: Mon, 10 Jun 1996 15:19:04 GMT\nContent-length: {}\n\n"
)
_FILLER = ("course", "project", "student", "homework", "lecture", "exam", "grading", "systems", "research", "paper")


def page_addresses(n_pages: int) -> list[str]:
    """Home pages first, then pages of people and courses."""
    homes = [f"http://{host}/" for host in HOSTS]
    rest = [
        f"http://{HOSTS[k % len(HOSTS)]}/{'~person' if k % 3 else 'Info/Courses/cs'}{k}{'/' if k % 2 else '.html'}"
        for k in range(n_pages - len(homes))
    ]
    return homes + rest


def file_name(url: str) -> str:
    return "course/" + url.replace("http://", "http_//").replace("/", "^")


def write_old_crawl(path: Path, n_pages: int = 60, seed: int = 0, name_of=file_name) -> Path:
    """Write a tar archive; each page mentions one topic, and few links lead to other pages about it."""
    generator = random.Random(seed)
    urls = page_addresses(n_pages)
    files: dict[str, bytes] = {}
    for k, url in enumerate(urls):
        topic = TOPICS[k % len(TOPICS)]
        words = " ".join(generator.choices(_FILLER, k=40)) + f" {topic}" * (1 + k % 5)
        others = [other for other in urls if other != url]
        links = [*generator.choices(others, k=3), urls[(k + len(TOPICS)) % len(urls)]]
        body = (
            f"<HTML>\n<HEAD><TITLE>{topic.title()} page {k}</TITLE></HEAD>\n<BODY>\n<H1>{topic}</H1>\n<P>{words}\n"
            f"<A HREF=\"/\">Department</A> <A HREF='{_odd(links[0])}'>a</A> <A HREF={links[1]}>b</A>\n"
            f'<A HREF="{links[2]}">c</A> <A HREF="{links[3]}">More on {topic}</A> Jos\xe9\n'
        ).encode("latin-1")
        headers = _HEADERS.format(len(body)).encode()
        files[name_of(url)] = headers + body
    moved = b"Date: Thu, 07 Nov 1996 19:12:47 GMT\nServer: NCSA/1.5\nLocation: http://www.cs.cornell.edu/\n\nMoved\n"
    files[name_of("http://www.cs.cornell.edu/old/")] = moved
    files[name_of("http://www.cs.cornell.edu/logo.gif")] = b"GIF89a\x00\x01\x00"
    return write_tar(path, files)


def _odd(url: str) -> str:
    """Another way to write an address: the default port, a folder that is left again, and a fragment."""
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    return f"{scheme.upper()}://{host.upper()}:80/x/../{path.replace('~', '%7E')}#top"
