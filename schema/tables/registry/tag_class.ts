/**
 * The class of a tag, which follows from its name. A List shows only `plain` tags unless it asks for others.
 * A tag has one class, the first that matches: referrer (`sha256-…`), date (`…-20yymmdd`), epoch (`…-rN`).
 */
export const TagClass = { plain: 0, referrer: 1, date: 2, epoch: 3 } as const;
