"""The checks of `gateway doctor` about staff."""

from gateway.doctor.security import check_staff
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from tests.api_client import Api
from tests.applicants import staff_member
from tests.two_factor import enrol


async def findings(settings: Settings) -> list[tuple[str, str]]:
    return [(finding.severity.value, finding.text) async for finding in check_staff(settings)]


async def test_staff_without_a_second_factor_is_counted(api: Api, services: Services, settings: Settings) -> None:
    no_staff = "none yet, so no merchant can be approved: gateway admin promote EMAIL"
    assert await findings(settings) == [("warning", no_staff)]
    members = [await staff_member(api, services) for _ in range(2)]
    await enrol(members[0])
    asks = "1 of 2 have no second factor; GATEWAY_STAFF_REQUIRES_2FA asks for one"
    assert await findings(settings) == [("warning", asks)]
    refused = "1 of 2 have no second factor, and are refused until they set one up"
    assert await findings(settings.model_copy(update={"staff_requires_2fa": True})) == [("warning", refused)]
    await enrol(members[1])
    assert await findings(settings) == [("ok", "2, each with a second factor")]
