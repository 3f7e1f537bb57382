"""functions of the database say what they do (gateway/models/functions.sql shows them)"""

from alembic import op
revision = '0040'
down_revision = '0039'
branch_labels = None
depends_on = None

LISTED = """Counts a row that comes or goes below a milestone, in all milestones above it, and names one whose texts have changed for the sweep to keep anew (ADR 0035, 0048)."""
TALLIED = """Notes what a row that comes, changes or goes below a tallied milestone adds to its tallies and takes from them (ADR 0041)."""
TALLIES = """What a row is tallied as: each column or pair of columns by its name, with the value or the group of values, and the stretch; 0 is the whole list (ADR 0041, 0042, 0044)."""
SAID = {
    'audit_facets(text, text, text, text, text, text)': """What a record says in its columns of few values, a line for each, so that all filters of the trail are looked up together (ADR 0047).""",
    'audit_key(uuid, text, text)': """The hash of what several records of a store say alike, by which indexes of the trail find them (ADR 0043, 0047).""",
    'audit_origin(text, text, text, text, text, text, text)': """An address with the hash of the facets that a record from there has: what a search of an address and filters looks up (ADR 0047).""",
    'audit_part_begin(timestamptz)': """The lowest UUIDv7 of a moment, where a month's part of the trail begins (ADR 0037).""",
    'copy_test_clock()': """Copies a store's test clock into its account, which is read with every request (docs/test-clock.md).""",
    'count_deliveries_gone()': """Takes deliveries that are forgotten off what their endpoints have counted.""",
    'count_delivery_late()': """Adds a delivery that comes below what its endpoint has counted.""",
    'enter_into_balance()': """Enters a charge that becomes paid, or is paid no more, for the worker to fold into its store's balance (ADR 0028).""",
    'folded(text)': """A text in lower case and without accents, as searches compare it (ADR 0050); `gateway.resolvers.listing.folding` makes the same of what is typed.""",
    'grams_in(bigint, integer, text, text)': """The pieces of a row's texts, hashed together with its list and stretch: what the index of searches has of it (ADR 0046, 0048).""",
    'grams_of(bigint, text, text)': """The pieces of texts, hashed together with their list: three characters of any part, four digits of a number, the beginnings of words, and what is around a space (ADR 0046, 0048, 0049).""",
    'keep_audit_records_listed()': LISTED,
    'keep_audit_records_tallied()': TALLIED,
    'keep_charges_listed()': LISTED,
    'keep_charges_tallied()': TALLIED,
    'keep_customers_listed()': LISTED,
    'keep_customers_tallied()': TALLIED,
    'keep_subscriptions_listed()': LISTED,
    'keep_subscriptions_tallied()': TALLIED,
    'list_number(text, uuid, text)': """The number of a list, for its advisory lock and for what is hashed of it.""",
    'make_audit_part(date)': """Makes the part of the trail for a month, and says whether there was none (ADR 0037).""",
    'name_order(text)': """A name in the order of its letters, whatever its case and accents (ADR 0045).""",
    'queue_audit_record()': """Has a record that is written where lists find it sealed as well, unless it came from the queue (ADR 0040).""",
    'refuse_audit_change()': """Refuses changes of the trail, deletions and truncations.""",
    'refuse_audit_loss()': """Refuses that a record leaves the queue unless it is in the trail, as it was.""",
    'settle_audit_part(date)': """Gives records that lie in the default part the part of their month (docs/audit.md).""",
    'tallies_of(audit_records, integer)': TALLIES,
    'tallies_of(charges, integer)': TALLIES,
    'tallies_of(customers, integer)': TALLIES,
    'tallies_of(subscriptions, integer)': TALLIES,
    'telling_grams(bigint, text, integer[])': """The pieces of what was typed that a search asks the index for: few, and none that a quarter of the list has, if others are left (ADR 0046, 0049).""",
}


def upgrade() -> None:
    for function, said in SAID.items():
        told = said.replace("'", "''")
        op.execute(f"comment on function {function} is '{told}'")


def downgrade() -> None:
    for function in SAID:
        op.execute(f'comment on function {function} is null')
