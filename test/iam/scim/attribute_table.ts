/**
 * The attributes of RFC 7643 section 8.7 that a client can write, and values for them. The table is written by hand, so
 * that it does not depend on the schemas of the platform.
 */
import fc from "fast-check";

export type Kind = "string" | "boolean" | "binary" | "reference" | "complex" | "list" | "texts";

/** An attribute. `of` has the attributes of a complex value, or of each value of a list. */
export interface TableRow {
  name: string;
  kind: Kind;
  of?: TableRow[];
}

const strings = (...names: string[]): TableRow[] => names.map((name) => ({ name, kind: "string" }));
const list = (name: string, value: Kind = "string"): TableRow => ({
  ...{ name, kind: "list" },
  of: [
    { name: "value", kind: value },
    ...strings("display", "type"),
    { name: "primary", kind: "boolean" },
  ],
});

export const userTable: TableRow[] = [
  ...strings("externalId", "userName", "displayName", "nickName", "title", "userType"),
  ...strings("preferredLanguage", "locale", "timezone", "password"),
  { name: "profileUrl", kind: "reference" },
  { name: "active", kind: "boolean" },
  {
    ...{ name: "name", kind: "complex" },
    of: strings(
      "formatted",
      "familyName",
      "givenName",
      "middleName",
      "honorificPrefix",
      "honorificSuffix",
    ),
  },
  ...[list("emails"), list("phoneNumbers"), list("ims"), list("photos", "reference")],
  ...[list("entitlements"), list("roles"), list("x509Certificates", "binary")],
  {
    ...{ name: "addresses", kind: "list" },
    of: [
      ...strings(
        "formatted",
        "streetAddress",
        "locality",
        "region",
        "postalCode",
        "country",
        "type",
      ),
      { name: "primary", kind: "boolean" },
    ],
  },
];

export const enterpriseTable: TableRow[] = [
  ...strings("employeeNumber", "costCenter", "organization", "division", "department"),
  {
    name: "manager",
    kind: "complex",
    of: [...strings("value"), { name: "$ref", kind: "reference" }],
  },
];

export const groupTable: TableRow[] = strings("externalId", "displayName");

/** Texts of any language, and those that mean something elsewhere. */
const texts = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
  fc.constantFrom(
    "work",
    "home",
    "other",
    "",
    " ",
    "null",
    '"',
    "\\",
    "[]",
    "' or 1=1 --",
    "$.a",
    "İ",
    "ß",
    "a\nb",
    "%",
  ),
);

const simple: Record<string, fc.Arbitrary<unknown>> = {
  string: texts,
  texts: fc.array(texts, { maxLength: 3 }),
  boolean: fc.oneof(fc.boolean(), fc.constantFrom("True", "False", "true")),
  binary: fc.base64String({ maxLength: 40 }),
  reference: fc.oneof(fc.webUrl(), fc.constantFrom("../Users/1", "urn:x:y")),
};

/** A value of an attribute that its definition allows. At most one value of a list is primary. */
export function valuesFor({ kind, of = [] }: TableRow): fc.Arbitrary<unknown> {
  if (kind === "complex") return objectOf(of);
  if (kind !== "list") return simple[kind] ?? texts;
  return fc.array(objectOf(of), { maxLength: 4 }).map((items) => {
    const primary = items.findIndex((one) => /^true$/i.test(String(one.primary)));
    return items.map(({ primary: given, ...one }, place) =>
      given === undefined || (place !== primary && /^true$/i.test(String(given)))
        ? one
        : { ...one, primary: given },
    );
  });
}

/** An object with some of the attributes, whose names are in any case. An absent value can be null. */
export function objectOf(table: TableRow[]): fc.Arbitrary<Record<string, unknown>> {
  const model = Object.fromEntries(
    table.map((row) => [row.name, fc.option(valuesFor(row), { freq: 12, nil: null })]),
  );
  const cased = (name: string, how: number) =>
    [name, name.toLowerCase(), name.toUpperCase()][how] ?? name;
  return fc
    .tuple(fc.record(model, { requiredKeys: [] }), fc.constantFrom(0, 0, 0, 1, 2))
    .map(([value, how]) =>
      Object.fromEntries(
        Object.entries(value).map(([name, one]) => [
          name === "primary" || name === "type" || name === "value" ? name : cased(name, how),
          one,
        ]),
      ),
    );
}
