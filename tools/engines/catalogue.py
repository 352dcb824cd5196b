"""The engines: each has a folder with a POM, the checksums of its jars, and a program to run from source."""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Engine:
    """An engine or a Java library: ``program`` is run from source with the jars of the POM on its class path.

    A server prints ``listening on URL`` when it accepts requests. Its folder ``home``, if there is one, contains its
    settings and is copied before each start. Programs that only read stdin and write stdout are not servers.
    """

    name: str
    program: str
    server: bool = False
    memory: str = "512m"

    @property
    def folder(self) -> Path:
        return HERE / self.name

    @property
    def pom(self) -> Path:
        return self.folder / "pom.xml"

    @property
    def checksums(self) -> Path:
        return self.folder / "checksums.txt"


ENGINES = {
    engine.name: engine
    for engine in (
        Engine("solr", "SolrNode.java", server=True),
        Engine("lucene_expressions", "Expressions.java"),
        Engine("ranklib", "Scores.java"),
    )
}
