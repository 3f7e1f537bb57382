"""Draw the reference page and the guide of the test environment: `make schema` runs it, a test compares."""

import json

from gateway.rest_compat.documentation import COMMITTED, GUIDE_PAGE, REFERENCE
from scripts.reference_page.pages import guide_page, reference_page

REFERENCE.write_text(reference_page(json.loads(COMMITTED.read_bytes())), "utf-8")
GUIDE_PAGE.write_text(guide_page(), "utf-8")
