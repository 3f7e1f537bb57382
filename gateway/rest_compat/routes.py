"""The table of paths, in the specification's order. Each row calls one operation; rules live there, not here."""

from gateway.models.production import FileType
from gateway.resolvers.accounts.login import log_in
from gateway.resolvers.accounts.onboarding import complete_onboarding, read_onboarding
from gateway.resolvers.accounts.password_changes import change_password, request_password_reset, reset_password
from gateway.resolvers.accounts.profile import read_me, update_profile
from gateway.resolvers.accounts.register import register
from gateway.resolvers.accounts.social_login import log_in_externally
from gateway.resolvers.api_keys import operations as api_keys
from gateway.resolvers.audit.read import export_audit, list_audit, read_audit_record
from gateway.resolvers.charges.create_charge import issue_charge, register_charge
from gateway.resolvers.charges.expire import expire_pending_charge
from gateway.resolvers.charges.figures import read_charge_figures
from gateway.resolvers.charges.listing import export_charges, list_charges
from gateway.resolvers.charges.payment_emails import send_charge
from gateway.resolvers.charges.read import read_charge
from gateway.resolvers.charges.simulate_payment import simulate_payment
from gateway.resolvers.charges.unsupported import cancel_charge, refund_charge
from gateway.resolvers.checkout.links import read_link, validate_link_coupon
from gateway.resolvers.checkout.place_order import pay_link
from gateway.resolvers.checkout.public_charge import read_public_charge, simulate_public_payment
from gateway.resolvers.clocks.operations import advance_clock, read_clock
from gateway.resolvers.core.listing.export_tickets import export_by_ticket
from gateway.resolvers.coupons import operations as coupons
from gateway.resolvers.customers import operations as customers
from gateway.resolvers.engine_notifications.endpoint import authorize_transfer, receive_notification
from gateway.resolvers.health import read_health, read_life, read_metrics, read_readiness
from gateway.resolvers.members import operations as members
from gateway.resolvers.members.invitations import accept_invitation, invite_member, resend_invitation
from gateway.resolvers.payment_links import operations as payment_links
from gateway.resolvers.pix_keys.operations import delete_pix_key, list_pix_keys, save_pix_key
from gateway.resolvers.production.documents import list_documents, upload_document
from gateway.resolvers.production.documents import upload_by_ticket as store_upload
from gateway.resolvers.production.status import read_production, request_production
from gateway.resolvers.products import operations as products
from gateway.resolvers.receiving.create_account import open_account
from gateway.resolvers.receiving.operations import check_account, read_account, simulate_review
from gateway.resolvers.refunds.create import create_refund
from gateway.resolvers.refunds.read import export_refunds, list_refunds, read_refund
from gateway.resolvers.repayments import read as repayments
from gateway.resolvers.repayments.record import conclude_repayment, discard_repayment, record_repayment
from gateway.resolvers.roadmap import items as roadmap
from gateway.resolvers.roadmap import votes_and_comments
from gateway.resolvers.service import read_service
from gateway.resolvers.sessions.store import list_sessions
from gateway.resolvers.sessions.tokens import choose_environment, end_other_sessions, end_session, refresh_session
from gateway.resolvers.staff import differences, merchants, reviews
from gateway.resolvers.subscriptions import operations as subscriptions
from gateway.resolvers.subscriptions.billing_job import bill_by_token
from gateway.resolvers.subscriptions.charge import charge_subscription
from gateway.resolvers.subscriptions.figures import read_subscription_figures, upcoming_charges
from gateway.resolvers.two_factor import enrollment
from gateway.resolvers.two_factor.login import log_in_with_code
from gateway.resolvers.webhooks import deliveries, endpoint_commands
from gateway.resolvers.webhooks.endpoints import export_endpoints, list_endpoints, read_endpoint
from gateway.resolvers.webhooks.event_types import list_event_types, sample_event, send_test_event
from gateway.resolvers.webhooks.events import export_events, list_events, read_event
from gateway.resolvers.webhooks.resend import redeliver, replay
from gateway.resolvers.withdrawals import staff_actions
from gateway.resolvers.withdrawals.read import export_withdrawals, list_withdrawals, read_withdrawal, summarise
from gateway.resolvers.withdrawals.request import quote_withdrawal, request_withdrawal
from gateway.resolvers.withdrawals.statement import export_statement, read_statement
from gateway.rest_compat import handlers
from gateway.rest_compat.app import Endpoint
from gateway.rest_compat.production_documents import UPLOAD_PATH, download, upload, upload_by_ticket

_TABLE: list[Endpoint] = [
    # Account and session
    Endpoint("POST", "/auth/register", register, status=201, location="/auth/me"),
    Endpoint("POST", "/auth/login", log_in),
    Endpoint("POST", "/auth/login/code", log_in_with_code),
    Endpoint("POST", "/auth/google", log_in_externally),
    Endpoint("POST", "/auth/refresh", refresh_session, any_body=True),
    Endpoint("GET", "/auth/me", read_me),
    Endpoint("PUT", "/auth/profile", update_profile),
    Endpoint("PUT", "/auth/password", change_password),
    Endpoint("POST", "/auth/password/forgot", request_password_reset, status=202),
    Endpoint("POST", "/auth/password/reset", reset_password),
    Endpoint("POST", "/auth/environment", choose_environment),
    Endpoint("GET", "/auth/onboarding", read_onboarding),
    Endpoint("POST", "/auth/onboarding", complete_onboarding),
    # Second factor and sessions
    Endpoint("GET", "/auth/two-factor", enrollment.read_two_factor),
    Endpoint("POST", "/auth/two-factor", enrollment.begin_two_factor),
    Endpoint("POST", "/auth/two-factor/confirm", enrollment.confirm_two_factor),
    Endpoint("POST", "/auth/two-factor/recovery-codes", enrollment.renew_recovery_codes),
    Endpoint("POST", "/auth/two-factor/disable", enrollment.disable_two_factor),
    Endpoint("GET", "/auth/sessions", list_sessions),
    Endpoint("POST", "/auth/sessions/end-others", end_other_sessions),
    Endpoint("DELETE", "/auth/sessions/{id}", end_session),
    # API keys
    Endpoint("POST", "/api-keys", api_keys.create_api_key, status=201, location="/api-keys/{id}"),
    Endpoint("GET", "/api-keys", api_keys.list_api_keys, export=api_keys.export_api_keys),
    Endpoint("GET", "/api-keys/{id}", api_keys.read_api_key),
    Endpoint("PUT", "/api-keys/{id}", api_keys.update_api_key),
    Endpoint("DELETE", "/api-keys/{id}", api_keys.revoke_api_key),
    # Receiving account
    Endpoint("POST", "/receiving-account", open_account, status=201, location="/receiving-account", may_exist=True),
    Endpoint("GET", "/receiving-account", read_account),
    Endpoint("POST", "/receiving-account/check", check_account, any_body=True),
    Endpoint("POST", "/receiving-account/simulate-review", simulate_review),
    # Pix charges
    Endpoint("POST", "/pix", issue_charge, status=201, location="/pix/{id}"),
    Endpoint("GET", "/pix", list_charges, export=export_charges),
    Endpoint("POST", "/pix/simulate-payment", simulate_payment),
    Endpoint("POST", "/pix/cancel", cancel_charge, any_body=True),
    Endpoint("POST", "/pix/refund", refund_charge, any_body=True),
    Endpoint("GET", "/pix/status", read_charge),
    Endpoint("POST", "/pix/{id}/expire", expire_pending_charge),
    Endpoint("POST", "/pix/{id}/send", send_charge),
    Endpoint("GET", "/pix/{id}", read_charge),
    Endpoint("POST", "/charges", register_charge, status=201, location="/charges/{id}"),
    Endpoint("GET", "/charges", list_charges, export=export_charges),
    Endpoint("GET", "/charges/figures", read_charge_figures),
    Endpoint("GET", "/charges/{id}", read_charge),
    # Refunds
    Endpoint("POST", "/refunds", create_refund, status=201, location="/refunds/{id}"),
    Endpoint("GET", "/refunds", list_refunds, export=export_refunds),
    Endpoint("GET", "/refunds/{id}", read_refund),
    # Customers
    Endpoint("POST", "/customers", customers.create_customer, status=201, location="/customers/{id}"),
    Endpoint("GET", "/customers", customers.list_customers, export=customers.export_customers),
    Endpoint("GET", "/customers/{id}", customers.read_customer),
    Endpoint("PUT", "/customers/{id}", customers.update_customer),
    Endpoint("DELETE", "/customers/{id}", customers.delete_customer),
    # Subscriptions
    Endpoint("POST", "/subscriptions", subscriptions.create_subscription, status=201, location="/subscriptions/{id}"),
    Endpoint("GET", "/subscriptions", subscriptions.list_subscriptions, export=subscriptions.export_subscriptions),
    Endpoint("GET", "/subscriptions/figures", read_subscription_figures),
    Endpoint("GET", "/subscriptions/{id}", subscriptions.read_subscription),
    Endpoint("PUT", "/subscriptions/{id}", subscriptions.update_subscription),
    Endpoint("DELETE", "/subscriptions/{id}", subscriptions.delete_subscription),
    Endpoint(
        "POST", "/subscriptions/{id}/charge", charge_subscription, status=201, location="/pix/{id}", any_body=True
    ),
    Endpoint("GET", "/subscriptions/{id}/upcoming", upcoming_charges),
    Endpoint("GET", "/subscriptions/upcoming", upcoming_charges),
    # Payment links
    Endpoint("POST", "/payment-links", payment_links.create_payment_link, status=201, location="/payment-links/{id}"),
    Endpoint("GET", "/payment-links", payment_links.list_payment_links, export=payment_links.export_payment_links),
    Endpoint("GET", "/payment-links/{id}", payment_links.read_payment_link),
    Endpoint("PUT", "/payment-links/{id}", payment_links.update_payment_link),
    Endpoint("DELETE", "/payment-links/{id}", payment_links.delete_payment_link),
    # Public checkout
    Endpoint("GET", "/checkout/link/{slug}", read_link),
    Endpoint("GET", "/checkout/link/{slug}/coupon", validate_link_coupon),
    Endpoint("POST", "/checkout/link/{slug}/pay", pay_link, status=201, location="/checkout/{txid}"),
    Endpoint("GET", "/checkout/{txid}", read_public_charge),
    Endpoint("POST", "/checkout/{txid}/simular-pagamento", simulate_public_payment, any_body=True),
    # Coupons
    Endpoint("POST", "/coupons", coupons.create_coupon, status=201, location="/coupons/{id}"),
    Endpoint("GET", "/coupons", coupons.list_coupons, export=coupons.export_coupons),
    Endpoint("GET", "/coupons/validate", coupons.validate_coupon),
    Endpoint("GET", "/coupons/{id}", coupons.read_coupon),
    Endpoint("PUT", "/coupons/{id}", coupons.update_coupon),
    Endpoint("DELETE", "/coupons/{id}", coupons.delete_coupon),
    # Products
    Endpoint("POST", "/products", products.create_product, status=201, location="/products/{id}"),
    Endpoint("GET", "/products", products.list_products, export=products.export_products),
    Endpoint("GET", "/products/{id}", products.read_product),
    Endpoint("PUT", "/products/{id}", products.update_product),
    Endpoint("DELETE", "/products/{id}", products.delete_product),
    # Withdrawals
    Endpoint("POST", "/withdrawals", request_withdrawal, status=201, location="/withdrawals/{id}"),
    Endpoint("GET", "/withdrawals", list_withdrawals, export=export_withdrawals),
    Endpoint("GET", "/withdrawals/summary", summarise),
    Endpoint("GET", "/withdrawals/quote", quote_withdrawal),
    Endpoint("GET", "/statement", read_statement, export=export_statement),
    Endpoint("POST", "/pix-keys", save_pix_key, status=201, location="/pix-keys"),
    Endpoint("GET", "/pix-keys", list_pix_keys),
    Endpoint("DELETE", "/pix-keys/{id}", delete_pix_key),
    Endpoint("GET", "/withdrawals/{id}", read_withdrawal),
    # Repayments
    Endpoint("GET", "/repayments", repayments.list_received_repayments, export=repayments.export_received_repayments),
    Endpoint("GET", "/repayments/{id}", repayments.read_received_repayment),
    # Webhook endpoints
    Endpoint("GET", "/webhook-endpoints", list_endpoints, export=export_endpoints),
    Endpoint(
        "POST", "/webhook-endpoints", endpoint_commands.create_endpoint, status=201, location="/webhook-endpoints/{id}"
    ),
    Endpoint(
        "POST",
        "/webhook-endpoints/test-receiver",
        endpoint_commands.open_test_receiver,
        status=201,
        location="/webhook-endpoints/{id}",
        any_body=True,
    ),
    Endpoint("GET", "/webhook-endpoints/eventos", list_event_types),
    Endpoint("GET", "/webhook-samples/{event}", sample_event),
    Endpoint("GET", "/webhook-endpoints/{id}", read_endpoint),
    Endpoint("PUT", "/webhook-endpoints/{id}", endpoint_commands.update_endpoint),
    Endpoint("DELETE", "/webhook-endpoints/{id}", endpoint_commands.delete_endpoint),
    Endpoint("POST", "/webhook-endpoints/{id}/test", send_test_event),
    Endpoint("POST", "/webhook-endpoints/{id}/rotate-secret", endpoint_commands.rotate_secret),
    Endpoint(
        "GET", "/webhook-endpoints/{id}/deliveries", deliveries.list_deliveries, export=deliveries.export_deliveries
    ),
    Endpoint("GET", "/webhook-endpoints/{id}/deliveries/{delivery_id}", deliveries.read_delivery),
    Endpoint("POST", "/webhook-endpoints/{id}/deliveries/{delivery_id}/redeliver", redeliver),
    Endpoint("POST", "/webhook-endpoints/{id}/replay", replay),
    # Events and their deliveries
    Endpoint("GET", "/events", list_events, export=export_events),
    Endpoint("GET", "/events/{id}", read_event),
    Endpoint("GET", "/webhook-deliveries", deliveries.list_all_deliveries, export=deliveries.export_all_deliveries),
    # Members
    Endpoint("GET", "/members", members.list_members, export=members.export_members),
    Endpoint("POST", "/members", invite_member, status=201, location="/members/{id}"),
    Endpoint("POST", "/members/accept", accept_invitation),
    Endpoint("GET", "/members/{id}", members.read_member),
    Endpoint("PUT", "/members/{id}", members.update_member),
    Endpoint("DELETE", "/members/{id}", members.remove_member),
    Endpoint("POST", "/members/{id}/resend", resend_invitation),
    Endpoint("GET", "/stores", members.list_stores),
    # Test clock
    Endpoint("GET", "/test-clock", read_clock),
    Endpoint("POST", "/test-clock/advance", advance_clock, status=202),
    # Production approval
    Endpoint("GET", "/production", read_production),
    Endpoint("GET", UPLOAD_PATH, list_documents),
    Endpoint("POST", UPLOAD_PATH, upload_document, status=201, location=UPLOAD_PATH, special=upload, form=True),
    Endpoint("POST", "/production/request", request_production),
    Endpoint(
        "PUT",
        "/uploads/{ticket}",
        store_upload,
        status=201,
        location=UPLOAD_PATH,
        special=upload_by_ticket,
        internal=True,
    ),
    Endpoint("GET", "/downloads/{ticket}", merchants.download_by_ticket, special=download, internal=True),
    # Exports by ticket
    Endpoint("GET", "/exports/{ticket}", export_by_ticket, special=handlers.export_of_ticket, internal=True),
    # Roadmap
    Endpoint("GET", "/roadmap", roadmap.list_roadmap, export=roadmap.export_roadmap),
    Endpoint("POST", "/roadmap", roadmap.create_roadmap_item, status=201, location="/roadmap/{id}"),
    Endpoint("GET", "/roadmap/{id}", roadmap.read_roadmap_item),
    Endpoint("PUT", "/roadmap/{id}", roadmap.update_roadmap_item),
    Endpoint("DELETE", "/roadmap/{id}", roadmap.delete_roadmap_item),
    Endpoint("POST", "/roadmap/{id}/vote", votes_and_comments.vote_for_roadmap_item, any_body=True),
    Endpoint(
        "GET",
        "/roadmap/{id}/comments",
        votes_and_comments.list_roadmap_comments,
        export=votes_and_comments.export_roadmap_comments,
    ),
    Endpoint(
        "POST",
        "/roadmap/{id}/comments",
        votes_and_comments.comment_on_roadmap_item,
        status=201,
        location="/roadmap/{item_id}/comments",
    ),
    Endpoint("DELETE", "/roadmap/{id}/comments/{comment_id}", votes_and_comments.delete_roadmap_comment),
    # Audit trail
    Endpoint("GET", "/audit", list_audit, export=export_audit),
    Endpoint("GET", "/audit/{id}", read_audit_record),
    # Staff
    Endpoint("GET", "/admin/lojistas", merchants.list_merchants, export=merchants.export_merchants),
    Endpoint("GET", "/admin/lojistas/{id}", merchants.read_merchant),
    Endpoint(
        "GET",
        "/admin/lojistas/{id}/documentos/{document_id}",
        merchants.download_document,
        special=download,
        file_types=tuple(FileType),
    ),
    Endpoint("POST", "/admin/lojistas/{id}/aprovar", reviews.approve_merchant),
    Endpoint("POST", "/admin/lojistas/{id}/recusar", reviews.refuse_merchant),
    Endpoint("POST", "/admin/lojistas/{id}/suspender", reviews.suspend_merchant),
    Endpoint("POST", "/admin/lojistas/{id}/reativar", reviews.reactivate_merchant),
    Endpoint(
        "GET", "/admin/withdrawals", staff_actions.list_all_withdrawals, export=staff_actions.export_all_withdrawals
    ),
    Endpoint("GET", "/admin/withdrawals/{id}", staff_actions.read_store_withdrawal),
    Endpoint("POST", "/admin/withdrawals/{id}/concluir", staff_actions.complete_withdrawal, any_body=True),
    Endpoint("POST", "/admin/withdrawals/{id}/recusar", staff_actions.refuse_withdrawal),
    Endpoint("POST", "/admin/repayments", record_repayment, status=201, location="/admin/repayments/{id}"),
    Endpoint("GET", "/admin/repayments", repayments.list_repayments, export=repayments.export_repayments),
    Endpoint("GET", "/admin/repayments/{id}", repayments.read_repayment, export=repayments.export_repayment),
    Endpoint("POST", "/admin/repayments/{id}/concluir", conclude_repayment, any_body=True),
    Endpoint("POST", "/admin/repayments/{id}/descartar", discard_repayment, any_body=True),
    Endpoint("GET", "/admin/differences", differences.list_differences, export=differences.export_differences),
    Endpoint("GET", "/admin/differences/{id}", differences.read_difference),
    Endpoint("POST", "/admin/differences/{id}/resolver", differences.resolve_difference),
    # Jobs, engines and system
    Endpoint("POST", "/jobs/subscriptions", bill_by_token, special=handlers.billing_job, internal=True),
    Endpoint(
        "POST",
        "/engine/notifications/{engine}",
        receive_notification,
        special=handlers.engine_notifications,
        internal=True,
    ),
    # Banks append a suffix, such as `pix`, to the address that they get.
    Endpoint(
        "POST",
        "/engine/notifications/bcb/{token}",
        receive_notification,
        special=handlers.engine_notifications,
        internal=True,
    ),
    Endpoint(
        "POST",
        "/engine/notifications/bcb/{token}/{suffix}",
        receive_notification,
        special=handlers.engine_notifications,
        internal=True,
    ),
    Endpoint(
        "POST", "/engine/transfers/{engine}", authorize_transfer, special=handlers.transfer_validation, internal=True
    ),
    Endpoint("GET", "/service", read_service),
    Endpoint("GET", "/health", read_health),
    Endpoint("GET", "/health/live", read_life),
    Endpoint("GET", "/health/ready", read_readiness),
    Endpoint("GET", "/metrics", read_metrics, special=handlers.metrics, internal=True),
]

ENDPOINTS = [each for row in _TABLE for each in ((row, row.export_endpoint()) if row.export else (row,))]
"""The table, with the path of each export after its list."""
