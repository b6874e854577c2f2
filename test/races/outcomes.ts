/** The outcome of a run, in a form that can be compared with another run. */
import { decodeJwt } from "jose";
import type { Columns, HttpAnswer, RowText, RunRecord } from "./protocol.ts";

/** A row, by column. */
export type RaceRow = Record<string, unknown>;

export interface RunOutcome {
  /** The status, and the response as text. */
  answers: { status: number; text: string }[];
  /** The rows of each table as text. `-` precedes a deleted row, and `+` a new one. */
  rows: Record<string, string[]>;
}

/** Columns that differ in every run: secrets, values derived from them, and the ids of events. */
const secret: Record<string, string[]> = {
  group_invites: ["code_digest", "key_id"],
  identity_providers: ["client_secret", "scim_token_digest", "scim_previous_token_digest"],
  keys: ["digest"],
  refresh_tokens: ["digest"],
  subscriptions: ["secret"],
  headless_sessions: ["ecdh_public_key", "encrypted_idtoken"],
  events: ["id", "uid", "seq", "request_id"],
};

/** Longer than the lifetime of anything that a call creates. */
const longest = 400 * 24 * 3600 * 1000;

/** The comparable form of a text from a run. */
class Plain {
  /** From this time on all times count as equal. Undefined if they are compared. */
  readonly #since: number | undefined;

  constructor(since: number | undefined) {
    this.#since = since;
  }

  #isNow = (time: number) =>
    this.#since !== undefined && time > this.#since && time < this.#since + longest;

  of(text: string): string {
    const plain = text
      .replace(/eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+/g, "<sealed>")
      .replace(/eyJ[\w-]+\.([\w-]+)\.[\w-]+/g, (jwt) => claimsOf(jwt))
      .replace(/eyJ[\w+/=-]{40,}/g, "<token>");
    if (this.#since === undefined) return plain;
    return (
      plain
        .replace(/\b\d{13}\b/g, (time) => (this.#isNow(Number(time)) ? "<time>" : time))
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
          this.#isNow(Date.parse(time)) ? "<time>" : time,
        )
        // The end of an etag is a time too.
        .replace(/(?<=-[0-9a-f]{16,40}-)[0-9a-z]{8}(?=\\*")/g, (time) =>
          this.#isNow(Number.parseInt(time, 36)) ? "<time>" : time,
        )
    );
  }
}

/** The claims of a token, without those that differ in every token. */
function claimsOf(jwt: string): string {
  const { iat: _, exp: __, jti: ___, ...claims } = decodeJwt(jwt);
  return JSON.stringify(JSON.stringify(claims)).slice(1, -1);
}

/** All random values of a call (worker/chance.ts): hexadecimal, a UUID or base64url. */
const drawn = /5eed(?:a1|b2)[0-9a-f]{4,}|5eed(?:a1|b2)00-[0-9a-f-]{27}|Xu2[hy][\w-]{5,}/g;

const isFirst = (token: string) => /^(5eeda1|Xu2h)/.test(token);
const numberOf = (token: string) =>
  token.startsWith("5eed")
    ? Number.parseInt(token.replaceAll("-", "").slice(6, 10), 16)
    : Buffer.from(token.slice(4, 8), "base64url").readUInt16BE(0);

/** A name for each random value: its caller, and its index among the remaining ones. */
function namesOf(text: string): Map<string, string> {
  const all = [...new Set(text.match(drawn))];
  const names = new Map<string, string>();
  for (const of of [true, false]) {
    const theirs = all.filter((token) => isFirst(token) === of);
    theirs.sort((a, b) => numberOf(a) - numberOf(b));
    const numbers = [...new Set(theirs.map(numberOf))];
    for (const token of theirs) {
      names.set(token, `<${of ? "first" : "second"} ${numbers.indexOf(numberOf(token)) + 1}>`);
    }
  }
  return names;
}

export function rowOf(columns: Columns, table: string, text: RowText): RaceRow {
  const values = JSON.parse(text) as unknown[];
  return Object.fromEntries((columns[table] ?? []).map((name, at) => [name, values[at]]));
}

/** The new value of a secret column counts only as new. */
function withoutSecrets(table: string, row: RaceRow, known: Set<unknown>): RaceRow {
  const hidden = (secret[table] ?? []).filter((name) => row[name] !== "" && !known.has(row[name]));
  const plain = { ...row, ...Object.fromEntries(hidden.map((name) => [name, "<new>"])) };
  // Only the other call can use a role binding that a call has just created.
  if (table === "role_bindings") return { ...plain, last_used_time: "<any>" };
  return plain;
}

/**
 * The outcome of a run. With `since`, all times from then on count as equal, because they differ in every
 * run.
 */
export function outcomeOf(columns: Columns, ran: RunRecord, since?: number): RunOutcome {
  const plain = new Plain(since);
  const rows = Object.entries(ran.changes).map(([table, change]): [string, string[]] => {
    const gone = change.gone.map((text) => rowOf(columns, table, text));
    const known = new Set(gone.flatMap((row) => (secret[table] ?? []).map((name) => row[name])));
    const shown = (sign: string, row: RaceRow) =>
      `${sign} ${plain.of(JSON.stringify(withoutSecrets(table, row, known)))}`;
    const added = change.new.map((text) => shown("+", rowOf(columns, table, text)));
    return [table, [...gone.map((row) => shown("-", row)), ...added]];
  });
  const answers = ran.answers.map((answer) => {
    const { status, text } = answer ? saidBy(answer) : { status: 0, text: "" };
    return { status, text: plain.of(text) };
  });
  return named({ answers, rows: Object.fromEntries(rows) });
}

/**
 * The contents of a response. For an error only its code and reason count, because its text depends on what
 * the call has read.
 */
function saidBy({ status, headers, body }: HttpAnswer): { status: number; text: string } {
  const next = headers.location ?? /content="0;url=([^"]+)"/.exec(body)?.[1];
  const location = next === undefined ? undefined : new URL(next.replaceAll("&amp;", "&"));
  const error = location?.searchParams.get("error");
  if (error) {
    const [words] = error.split(":");
    return { status: Number(location?.searchParams.get("status_code")), text: words ?? "" };
  }
  // A page that continues elsewhere says nothing more.
  const text = location ? location.href : body;
  // The etag of version 2 has the uid and the time of the resource.
  const etag = headers.etag?.replace(/^"\w+-[0-9a-f]{16,40}-\w+/, '"<version>');
  if (status < 400) return { status, text: `${text} ${etag ?? ""}` };
  const { code, details, schemas, scimType = "" } = parsed(body);
  if (schemas) return { status, text: `SCIM ${scimType}` };
  return { status, text: code === undefined ? "page" : `${code} ${details?.[0]?.reason ?? ""}` };
}

interface Refusal {
  code?: number | string;
  details?: { reason?: string }[];
  schemas?: string[];
  scimType?: string;
}

function parsed(body: string): Refusal {
  try {
    return JSON.parse(body) as Refusal;
  } catch {
    return {};
  }
}

function named({ answers, rows }: RunOutcome): RunOutcome {
  const names = namesOf(JSON.stringify({ answers, rows }));
  const rename = (text: string) => text.replace(drawn, (token) => names.get(token) ?? token);
  const tables = Object.entries(rows).map(([table, texts]) => [table, texts.map(rename).sort()]);
  return {
    answers: answers.map(({ status, text }) => ({ status, text: rename(text) })),
    rows: Object.fromEntries(tables),
  };
}

/** The differences of two outcomes, one on each line. Empty if there are none. */
export function differences(one: RunOutcome, other: RunOutcome): string[] {
  const lines: string[] = [];
  for (const [at, answer] of one.answers.entries()) {
    const against = other.answers[at];
    if (answer.status === against?.status && answer.text === against.text) continue;
    lines.push(`answer ${at + 1}: ${shown(answer)}`, `     not: ${shown(against)}`);
  }
  for (const table of new Set([...Object.keys(one.rows), ...Object.keys(other.rows)])) {
    const [here, there] = [one.rows[table] ?? [], other.rows[table] ?? []];
    const text = here.join("\n");
    if (text === there.join("\n")) continue;
    lines.push(...without(here, there).map((row) => `${table} has ${row}`));
    lines.push(...without(there, here).map((row) => `${table} has not ${row}`));
  }
  return lines;
}

/** Texts that occur more often in one list than in the other. */
function without(these: string[], those: string[]): string[] {
  const left = [...those];
  return these.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

const shown = (answer?: { status: number; text: string }) =>
  answer ? `${answer.status} ${answer.text.slice(0, 300)}` : "none";
