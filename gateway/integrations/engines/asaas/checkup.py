"""`gateway doctor` at Asaas: whether the main account can do what the gateway will ask of it."""

from gateway.integrations.engines.asaas.client import AsaasClient
from gateway.integrations.engines.asaas.failures import NotAdmitted
from gateway.integrations.engines.asaas.registration import EVENTS, Registration
from gateway.integrations.engines.asaas.words import items, track
from gateway.integrations.engines.port import EngineError, Symptom
from gateway.models.engines import Track


async def check_up(client: AsaasClient, registration: Registration) -> list[Symptom]:
    """Key, environment, approval, Pix key and webhook. Without a valid key nothing else can be seen."""
    try:
        said = await client.get("/myAccount/status")
    except EngineError as error:
        return [Symptom(good=False, text=_not_in(error))]
    found = [Symptom(good=True, text="Asaas accepts the key"), _approval(track(said.get("general")))]
    for look in (_pix_key(client), _webhook(registration)):
        try:
            found.append(await look)
        except EngineError as error:
            found.append(Symptom(good=False, text=f"Asaas doesn't show everything: {error}"))
    return found


def _not_in(error: EngineError) -> str:
    if isinstance(error, NotAdmitted) and error.code == "invalid_environment":
        return "the key belongs to the other environment of Asaas: swap the keys or the URLs"
    if isinstance(error, NotAdmitted):
        return (
            f"Asaas refuses the key ({error}): make a new one there, and look at its permissions and allowed addresses"
        )
    return f"Asaas can't be asked: {error}"


def _approval(general: Track) -> Symptom:
    if general is Track.approved:
        return Symptom(good=True, text="the account is approved")
    if general is Track.rejected:
        return Symptom(good=False, text="Asaas rejected or blocked the account: ask Asaas why, no charge can be issued")
    return Symptom(good=False, text=f"the account is not approved yet ({general}): finish its registration at Asaas")


async def _pix_key(client: AsaasClient) -> Symptom:
    said = await client.get("/pix/addressKeys", query={"status": "ACTIVE"})
    if any(key.get("status") == "ACTIVE" for key in items(said)):
        return Symptom(good=True, text="the account has a Pix key")
    return Symptom(
        good=False,
        text="the account has no active Pix key, so charges are refused or their codes die at midnight: make one at Asaas",
    )


async def _webhook(registration: Registration) -> Symptom:
    webhook = await registration.found(None)
    if webhook is None:
        fault = "is not registered"
    elif webhook.get("enabled") is not True or webhook.get("interrupted") is True:
        fault = "is switched off or interrupted"
    elif webhook.get("hasAuthToken") is False:
        fault = "sends no token"
    elif not _all_events(webhook.get("events")):
        fault = "leaves events out"
    else:
        return Symptom(good=True, text=f"notices come to {registration.url}")
    return Symptom(good=False, text=f"the webhook for {registration.url} {fault}: run `gateway admin register-notices`")


def _all_events(said: object) -> bool:
    return isinstance(said, list) and set(EVENTS) <= {event for event in said if isinstance(event, str)}
