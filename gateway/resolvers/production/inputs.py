"""What merchants say to be approved for production."""

import hashlib
import re
import unicodedata
from typing import Annotated

from pydantic import BeforeValidator, Field, PlainSerializer, Strict
from pydantic.json_schema import SkipJsonSchema

from gateway.models.production import DocumentType
from gateway.resolvers.core.inputs import Input

LARGEST_FILE = 10 * 1024 * 1024
"""Bytes (contract section 3: 10 MB)."""
LONGEST_NAME = 120
_PATH = re.compile(r"[\\/]")


def _file_name(given: object) -> str:
    """A name to show: without folders, without what can't be seen or turns text around, and not too long."""
    name = _PATH.split(given)[-1] if isinstance(given, str) else ""
    seen = "".join(each for each in name if unicodedata.category(each)[0] != "C" and each not in "\u2028\u2029")
    return seen.strip()[:LONGEST_NAME] or "documento"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


FileContent = Annotated[bytes, Strict(), PlainSerializer(_digest, when_used="json")]
"""A file whole. An `Idempotency-Key` knows it again by its digest."""


class UploadDocument(Input):
    """Um documento da loja.

    `POST /production/documents` (multipart): the name and the type that the form declares for the file count for
    nothing.
    """

    type: DocumentType = Field(description="Que documento é.")
    file: FileContent = Field(description="PDF, JPEG ou PNG de até 10 MB.")
    file_name: SkipJsonSchema[Annotated[str, BeforeValidator(_file_name)]] = "documento"
