"""The .npz file of a model: untrusted content is validated."""

import io
import json
import pickle
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassrank.core.checks import DataError
from glassrank.modelfile.codec.npz import pack_vectors, unpack_vectors
from glassrank.modelfile.load_model import load_model
from glassrank.modelfile.save_model import save_model
from tests.modelfile.models import DATA, fitted_model

VECTORS = {"model.w": np.array([0.1, -0.0, 5e-324]), "n": np.array([1, -(2**63)]), "half": np.float32([0.1, 3e38])}


def member(array, **saving) -> bytes:
    saved = io.BytesIO()
    np.save(saved, array, **saving)
    return saved.getvalue()


def archive(members, **zipping) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", **zipping) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return packed.getvalue()


def header(text: bytes) -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def rejection(content: bytes) -> str:
    with pytest.raises(DataError, match=r"^v\.npz: ") as error:
        unpack_vectors(content, "v.npz")
    return str(error.value)


def test_unpacked_vectors_are_bitwise_equal():
    read = unpack_vectors(pack_vectors(VECTORS), "v.npz")
    assert read.keys() == VECTORS.keys()
    for name, vector in VECTORS.items():
        assert read[name].dtype == vector.dtype
        assert read[name].tobytes() == vector.tobytes()
        assert read[name].flags.writeable


def test_numpy_reads_packed_vectors():
    with np.load(io.BytesIO(pack_vectors(VECTORS)), allow_pickle=False) as read:
        assert {name: read[name].tolist() for name in read} == {name: one.tolist() for name, one in VECTORS.items()}


def test_the_same_vectors_give_the_same_bytes():
    assert pack_vectors(VECTORS) == pack_vectors(VECTORS)


def test_big_endian_numbers_are_packed_as_little_endian():
    packed = pack_vectors({"w": np.array([1.5, 2.5], dtype=">f8")})
    assert unpack_vectors(packed, "v.npz")["w"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04", b"\0" * 1000])
def test_content_that_is_not_an_archive_is_rejected(content):
    assert "not an .npz file" in rejection(content)


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps([1.0]),
        member(np.array([{}]), allow_pickle=True),
        member(np.ones((2, 2))),
        member(np.float64(1.0)),
        member(np.array(["a"])),
        member(np.array([1j])),
        member(np.array([1.0], dtype=np.float16)),
        member(np.array([1.0], dtype=">f8")),
        member(np.zeros(1, dtype=[("x", "<f8")])),
        header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"9" * 40 + b",), }\n"),
        header(b"(" * 60_000),
        header(b"__import__('os').abort()"),
        header(b"")[:9],
        b"",
    ],
    ids=lambda content: repr(content[:12]),
)
def test_members_that_are_not_plain_vectors_are_rejected(content):
    assert "expected vectors of plain numbers, got something else" in rejection(archive({"w.npy": content}))


def test_a_vector_with_a_wrong_length_is_rejected_without_allocating_it():
    claim = header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000,), }\n") + bytes(64)
    assert "expected a vector of 100000000000000 values, got 64 bytes" in rejection(archive({"w.npy": claim}))


def test_a_compressed_member_is_rejected_before_it_is_decompressed():
    bomb = archive({"w.npy": bytes(10**7)}, compression=zipfile.ZIP_DEFLATED)
    assert len(bomb) < 20_000
    assert "expected uncompressed vectors" in rejection(bomb)


def test_a_member_with_a_wrong_size_is_rejected():
    content = bytearray(pack_vectors({"w": np.ones(5)}))
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = struct.pack("<I", 2**31)
    assert "expected uncompressed vectors" in rejection(bytes(content))


def test_overlapping_members_are_rejected():
    """Two entries in the table of contents point to the same bytes, which would be read twice."""
    content = pack_vectors({"w": np.ones(50_000)})
    at = content.rindex(b"PK\x01\x02")
    end = content.rindex(b"PK\x05\x06")
    entry = content[at:end]
    closing = bytearray(content[end:])
    closing[8:10] = closing[10:12] = struct.pack("<H", 2)
    closing[12:16] = struct.pack("<I", 2 * len(entry))
    assert "the members of the archive overlap" in rejection(content[:at] + entry + entry + bytes(closing))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=4)), min_size=1, max_size=6)
)
def test_a_damaged_archive_is_rejected_or_gives_vectors(faults):
    """No hash is checked here, as if it had been computed from the damaged file."""
    content = bytearray(pack_vectors(VECTORS))
    for share, junk in faults:
        at = int(share * len(content))
        content[at : at + len(junk)] = junk
    try:
        read = unpack_vectors(bytes(content), "v.npz")
    except DataError:
        return
    assert all(vector.ndim == 1 for vector in read.values())


@pytest.fixture
def path(tmp_path):
    save_model(fitted_model("long"), tmp_path / "m.json")
    return tmp_path / "m.json"


def test_a_model_with_the_vectors_of_another_is_rejected(path, tmp_path):
    (vector_file,) = tmp_path.glob("*.npz")
    with np.load(vector_file) as vectors:
        others = {name: vectors[name] + 1e-12 for name in vectors}
    np.savez(vector_file, **others)
    with pytest.raises(
        DataError, match=r"m.json: m\.json\.[0-9a-f]{16}\.npz does not contain the vectors of this model"
    ):
        load_model(path)


def test_a_model_without_its_vectors_is_rejected(path, tmp_path):
    (vector_file,) = tmp_path.glob("*.npz")
    vector_file.unlink()
    with pytest.raises(
        DataError, match=r"\.npz: there is no such file. The model needs this file next to it: copy both"
    ):
        load_model(path)


def test_a_model_and_its_vectors_can_be_moved_together(path, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    for one in [path, *tmp_path.glob("*.npz")]:
        one.rename(tmp_path / "elsewhere" / one.name)
    moved = load_model(tmp_path / "elsewhere" / "m.json")
    assert moved.predict(DATA.X).tolist() == fitted_model("long").predict(DATA.X).tolist()


def test_a_symbolic_link_to_a_model_finds_its_vectors(path, tmp_path):
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "latest.json").symlink_to(path)
    loaded = load_model(tmp_path / "links" / "latest.json")
    assert loaded.predict(DATA.X).tolist() == fitted_model("long").predict(DATA.X).tolist()
    save_model(loaded, tmp_path / "links" / "latest.json")
    assert [one.name for one in (tmp_path / "links").iterdir()] == ["latest.json"]
    assert len(list(tmp_path.glob("*.npz"))) == 1


def test_the_json_names_the_vector_file_and_its_hash(path, tmp_path):
    (vector_file,) = tmp_path.glob("*.npz")
    reference = json.loads(path.read_text())["vectors"]
    assert reference["file"] == vector_file.name
    assert vector_file.name == f"m.json.{reference['sha256'][:16]}.npz"
