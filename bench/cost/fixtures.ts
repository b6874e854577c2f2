/**
 * The organization for the measurement of costs, and the places of its rows. Each resource has the requested number of
 * rows. Two fifths are in the organization itself, and a tenth in another one. A quarter is in a chain of four groups
 * below each other, and a quarter in fifty sibling groups.
 */

const root = "a".repeat(40);
const steps = ["a1", "a2", "a3", "a4"].map((name) => name.padEnd(16, "0"));

/** Groups below the root, each below the previous one. The deepest is at the maximum depth. */
const [first, second, third, deepest] = steps.map((_, index) =>
  [root, ...steps.slice(0, index + 1)].join("/"),
) as [string, string, string, string];

/** The steps of real uids differ in their first digits, which indexes have. */
const areas = Array.from(
  { length: 50 },
  (_, index) => `${root}/b${String(index).padStart(2, "0").padEnd(15, "0")}`,
);

/** SQL: the uid of an area from its number. */
export const areaSql = (number: string) =>
  `'${root}/b' || printf('%02d', ${number}) || '0000000000000'`;

/** The uids that calls use. */
export const fixtures = {
  root,
  /** A group below the root, with a quarter of the rows in it and below it. */
  group: first,
  chain: [first, second, third, deepest],
  /** Sibling groups, each with one two-hundredth of the rows. */
  areas: areas as [string, ...string[]],
  other: "c".repeat(40),
  /** A person with an owner role binding on the root. */
  owner: `1${"1".repeat(39)}`,
  /** A person with owner role bindings on the fifty areas only. */
  member: `2${"2".repeat(39)}`,
} as const;

/** The row of a place that contains rows of other resources, such as its repository or its library. */
export const holderIn = (parent: string) =>
  `${parent}/f${parent.slice(-2)}${parent.slice(-15, -2)}`;

/** SQL: {@link holderIn} of each row of `places`. */
export const holder = "parent || '/f' || substr(parent, -2) || substr(parent, -15, 13)";

/** A digest that differs from others in its first digits too. */
export const digestOf = (n: number) =>
  `sha256:${((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0")}${n.toString(16).padStart(56, "0")}`;

/** SQL: {@link digestOf} of a number. */
export const digestSql = (n: string) =>
  `'sha256:' || printf('%08x%056x', (${n}) * 2654435761 % 4294967296, ${n})`;

/**
 * The libraries that have versions, by the uids that clients use: one of the root and one of the first of the fifty
 * groups.
 */
export const libraries = {
  ofRoot: `f${"2".padStart(39, "0")}`,
  ofArea: `f${"7".padStart(39, "0")}`,
};

/** In milliseconds: the time of the first row. */
export const startTime = Date.UTC(2026, 0, 1);

/** SQL: the uid of the i-th row of a kind in a place. Kinds have two hexadecimal digits. */
export const uidSql = (parent: string, kind: string) =>
  `${parent} || '/' || printf('${kind}%014x', i)`;

/**
 * SQL: the time of a row in whole seconds. Two rows have the same time, and the order differs from that of the uids.
 */
const time = (factor: number) =>
  `${startTime} + ((i * ${factor}) % (select count(*) from places)) / 2 * 1000`;

/** SQL: a unique text to sort by, whose order differs from that of the uids. */
export const shuffledSql = "printf('%07d', (i * 7919) % (select count(*) from places))";

/** The columns of every resource: a list of their names, and a list of their values. */
export const resourceColumns = {
  names: "uid, create_time, update_time",
  of: (uid: string) => `${uid}, ${time(7919)}, ${time(7919)} + ${time(104729)} - ${startTime}`,
};

/**
 * The most rows of the resources that the goals do not name. A database with a million of each would be larger than D1
 * allows (10 GB), and a scan is visible at this size, too.
 */
export const maxOtherRows = 20_000;

/** SQL: one row of each place, in the order of the uids: the requested number of rows, or fewer. */
export const fromPlaces = "from places order by parent, i";
export const fromFewPlaces = `from places where i < ${maxOtherRows} order by parent, i`;
