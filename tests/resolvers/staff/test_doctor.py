"""What `gateway doctor` says of the service's staff."""

from gateway.doctor.staff import staff as doctor_on
from gateway.resolvers.core.context import Services
from gateway.settings import Settings
from tests.api import Api
from tests.applicants import staff_member
from tests.two_factor import enrol


async def findings(settings: Settings) -> list[tuple[str, str]]:
    return [(finding.mark.value, finding.text) async for finding in doctor_on(settings)]


async def test_staff_without_a_second_factor_is_counted(api: Api, services: Services, settings: Settings) -> None:
    nobody = "nobody yet, and nobody can approve a merchant: gateway admin promote EMAIL"
    assert await findings(settings) == [("mind", nobody)]
    members = [await staff_member(api, services) for _ in range(2)]
    await enrol(members[0])
    asks = "1 of 2 have no second factor; GATEWAY_STAFF_REQUIRES_2FA asks for one"
    assert await findings(settings) == [("mind", asks)]
    refused = "1 of 2 have no second factor, and are refused until they set one up"
    assert await findings(settings.model_copy(update={"staff_requires_2fa": True})) == [("mind", refused)]
    await enrol(members[1])
    assert await findings(settings) == [("good", "2, each with a second factor")]
