/**
 * The organization that costs are measured in, and where its rows are. Of every resource there are as
 * many rows as asked for: two fifths in the organization itself, a quarter in a row on four levels of groups
 * below each other, a quarter in fifty groups side by side, and a tenth in another organization.
 */

const root = "a".repeat(40);
const steps = ["a1", "a2", "a3", "a4"].map((name) => name.padEnd(16, "0"));

/** Groups below the root, each in the one before: the deepest is as deep as groups may be. */
const [first, second, third, deepest] = steps.map((_, at) =>
  [root, ...steps.slice(0, at + 1)].join("/"),
) as [string, string, string, string];

const areas = Array.from({ length: 50 }, (_, at) => `${root}/b${String(at).padStart(15, "0")}`);

/** Uids of what calls are about. */
export const fixtures = {
  root,
  /** Below the root, with a quarter of the rows in and below it. */
  group: first,
  chain: [first, second, third, deepest],
  /** Groups side by side, each with a two-hundredth of the rows. */
  areas: areas as [string, ...string[]],
  other: "0".repeat(40),
  /** A person bound as owner of the root. */
  owner: `1${"1".repeat(39)}`,
  /** A person bound as owner of each of the fifty areas, and nowhere else. */
  member: `2${"2".repeat(39)}`,
} as const;

/** Last steps of the one row of a place that rows of other resources are in: its repo, its library… */
export const firstChildStep = "f".repeat(16);

/** As clients know them: the libraries that have versions, of the root and of the first of the fifty groups. */
export const libraries = {
  ofRoot: `f${"2".padStart(39, "0")}`,
  ofArea: `f${"7".padStart(39, "0")}`,
};

/** Milliseconds; rows are made from here on. */
export const startTime = Date.UTC(2026, 0, 1);

/** SQL: the uid of the i-th row of a kind in a place. Kinds are two hex digits. */
export const uidSql = (parent: string, kind: string) =>
  `${parent} || '/' || printf('${kind}%014x', i)`;

/** SQL: a time of a row, in whole seconds of which two rows share one, in no order of the uids. */
const time = (factor: number) =>
  `${startTime} + ((i * ${factor}) % (select count(*) from places)) / 2 * 1000`;

/** SQL: text to sort by, in no order of the uids either, another for each row. */
export const shuffledSql = "printf('%07d', (i * 7919) % (select count(*) from places))";

/** Columns that every resource has, as a list of their names and one of what is in them. */
export const resourceColumns = {
  names: "uid, create_time, update_time",
  of: (uid: string) => `${uid}, ${time(7919)}, ${time(7919)} + ${time(104729)} - ${startTime}`,
};

/**
 * Most rows of the resources that the goals do not name. A database with a million of each would be
 * larger than D1 lets one be (10 GB), and a scan shows at this size too.
 */
export const maxOtherRows = 20_000;

/** SQL: one row of each place, in the order of the uids: of as many as asked for, or of fewer. */
export const fromPlaces = "from places order by parent, i";
export const fromFewPlaces = `from places where i < ${maxOtherRows} order by parent, i`;
