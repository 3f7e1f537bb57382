"""The tables of `docs/banks.md`: the settings of a bank, the addresses of the profiles, and how they differ."""

from collections.abc import Iterator

from settings import default_text

from gateway.integrations.banks.profiles import PROFILES, Bank, Profile, TokenAuth
from gateway.integrations.banks.settings import BankSettings, required_names

_AUTHENTICATION = {
    TokenAuth.basic: "HTTP Basic, form",
    TokenAuth.basic_json: "HTTP Basic, JSON",
    TokenAuth.form: "id and secret in the form",
    TokenAuth.certificate: "id in the form, no secret",
}


def bank_settings_table() -> str:
    needed = {bank: set(required_names(BankSettings(bank=bank))) for bank in Bank}
    rows = ["| setting | default | needed by | meaning |", "|---|---|---|---|"]
    for name, field in BankSettings.model_fields.items():
        banks = [bank for bank in Bank if name in needed[bank] or (name in {"url", "token_url"} and _lacks(bank))]
        who = "all" if name == "bank" else _listed(banks)
        rows.append(f"| `{name.upper()}` | {default_text(field.default)} | {who} | {field.description} |")
    return "\n".join(rows)


def _lacks(bank: Bank) -> bool:
    return PROFILES[bank].live is None


def _listed(banks: list[Bank]) -> str:
    missing = [bank for bank in Bank if bank not in banks]
    if not banks:
        return "–"
    if len(missing) <= 1:
        return "all" + "".join(f" but `{bank}`" for bank in missing)
    return ", ".join(f"`{bank}`" for bank in banks)


def bank_addresses_table() -> str:
    rows = ["| profile | environment | API | token |", "|---|---|---|---|"]
    for bank, profile in PROFILES.items():
        for environment, addresses in (("live", profile.live), ("test", profile.test)):
            found = f"`{addresses.url}` | `{addresses.token_url}`" if addresses else "– | –"
            rows.append(f"| `{bank}` | {environment} | {found} |")
    return "\n".join(rows)


def bank_profiles_table() -> str:
    rows = ["| profile | client authentication | scopes requested | BR Code | differences |", "|---|---|---|---|---|"]
    for bank, profile in PROFILES.items():
        scopes = "yes" if profile.sends_scope else "no"
        code = f"`{profile.code_field}`" if profile.code_field else "built from the location"
        differences = "; ".join(_differences(profile)) or "–"
        rows.append(
            f"| `{bank}` | {_AUTHENTICATION[profile.token_auth]} | {scopes} | {code} | {differences} |",
        )
    return "\n".join(rows)


def _differences(profile: Profile) -> Iterator[str]:
    if profile.version:
        others = sorted({f"{version} for `{route}`" for route, version in profile.versions.items()})
        yield f"version {profile.version}" + "".join(f", {other}" for other in others)
    if profile.app_key_parameter:
        yield f"query parameter `{profile.app_key_parameter}`: `APP_KEY`"
    if profile.client_id_header:
        yield f"header `{profile.client_id_header}`"
    if profile.account_header:
        yield f"header `{profile.account_header}`: `ACCOUNT`"
    if profile.correlation_header:
        yield f"header `{profile.correlation_header}`: a new UUID"
    if profile.skip_mtls_header:
        yield f"header `{profile.skip_mtls_header}` of the webhook: `WEBHOOK_MTLS`"
    if not profile.milliseconds:
        yield "times in queries have no milliseconds"
    if profile.pays_test_charges:
        yield "`POST /cob/pagar/{txid}` pays a test charge"
    if profile.calls_per_minute:
        yield f"{profile.calls_per_minute} calls a minute"
