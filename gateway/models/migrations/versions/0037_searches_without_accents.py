"""searches: what they find rows by is kept without accents (ADR 0050)"""

from alembic import op
revision = '0037'
down_revision = '0036'
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The accents go before the letter case, so that a database that knows only the case of ASCII makes the same of `Ã` and `ã`.
    op.execute(r"""
        create function folded(said text) returns text language sql immutable strict parallel safe
        return lower(normalize(regexp_replace(normalize(said, nfd), '[\u0300-\u036f]', '', 'g'), nfc))
    """)
    # Of ASCII alone it makes what was there.
    keep_anew('octet_length(texts) + octet_length(documents) > length(texts) + length(documents)')


def downgrade() -> None:
    keep_anew('true')
    op.execute('drop function folded(text)')


def keep_anew(condition: str) -> None:
    """By the next sweep. Until then searches read these rows themselves."""
    op.execute(f"""
        with forgotten as (
            delete from search_texts where {condition} returning kind, user_id, environment, stretch, row_id
        )
        insert into search_waiting (kind, user_id, environment, stretch, row_id)
        select kind, user_id, environment, stretch, row_id from forgotten
        on conflict do nothing
    """)
