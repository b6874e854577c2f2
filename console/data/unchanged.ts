/** Keeps a form from overwriting the change of someone else, and says what changed and by whom. */
import { useRef } from "preact/hooks";
import { Aborted, type Client, PlatformError } from "../../client/index.ts";
import { identityName, readPeople } from "./people.ts";
import { useClient } from "./platform.tsx";
import { rootOf, shortUid } from "./uids.ts";

/** A resource with its version. */
interface Versioned {
  uid: string;
  name?: string | undefined;
  updateTime?: string | undefined;
  etag?: string | undefined;
}

/** Someone else has changed the resource since the person saw it. Nothing was saved. */
export class Outdated extends Error {
  /** The resource as it is now. */
  readonly current: Versioned;

  constructor(message: string, current: Versioned) {
    super(message);
    this.current = current;
  }
}

/** The most events that are read to find the last one. */
const mostEvents = 200;

/** The longest value that the message contains. */
const maxValue = 60;

/** The data that a page expects after a change. Their etag is not known yet, so the next change has no condition. */
export const withoutEtag = <Data>(data: Data): Data =>
  typeof data === "object" && data !== null && "etag" in data ? { ...data, etag: undefined } : data;

interface Write<Row extends Versioned, Result> {
  read: (uid: string) => Promise<Row>;
  write: (options: { ifMatch: string | undefined }) => Promise<Result>;
}

/** Writes only if the row is as the person has seen it. Rejects with {@link Outdated} otherwise. */
export async function writeUnchanged<Row extends Versioned, Result>(
  client: Client,
  seen: Row,
  { read, write }: Write<Row, Result>,
): Promise<Result> {
  try {
    return await write({ ifMatch: seen.etag });
  } catch (error) {
    if (!(error instanceof Aborted) || error.reason !== "ETAG_MISMATCH") throw error;
    const current = await read(seen.uid);
    throw new Outdated(await messageOf(client, seen, current), current);
  }
}

/**
 * Returns a function that writes only if the row is as it was when the person began to edit. It rejects with
 * {@link Outdated}, and then knows the new row: a second attempt replaces it. Until `isEdited`, the form follows the row.
 */
export function useUnchanged<Row extends Versioned>(
  row: Row,
  read: (uid: string) => Promise<Row>,
  isEdited = true,
) {
  const client = useClient();
  const seen = useRef(row);
  if (!isEdited) seen.current = row;
  return async (write: (options: { ifMatch: string | undefined }) => Promise<Row>) => {
    try {
      seen.current = await writeUnchanged(client, seen.current, { read, write });
      return seen.current;
    } catch (error) {
      if (error instanceof Outdated) seen.current = error.current as Row;
      throw error;
    }
  };
}

async function messageOf(client: Client, before: Versioned, now: Versioned): Promise<string> {
  const by = await lastActor(client, before);
  const changes = changesOf(before, now);
  const what = changes.length > 0 ? ` What has changed: ${changes.join("; ")}.` : "";
  return `${now.name || "This"} was changed${by} after you began to edit. Nothing was saved.${what}`;
}

function changesOf(before: object, now: object): string[] {
  const [old, fresh] = [before, now].map((row) => new Map<string, unknown>(Object.entries(row)));
  const names = new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])]);
  names.delete("updateTime");
  names.delete("etag");
  return [...names].flatMap((name) => {
    const [from, to] = [textOf(old?.get(name)), textOf(fresh?.get(name))];
    return from === to ? [] : [`${name} from ${from} to ${to}`];
  });
}

function textOf(value: unknown): string {
  if (value === undefined || value === "") return "nothing";
  const text = JSON.stringify(value);
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
}

/** The author of the last change, as ` by NAME`. Empty if the person cannot read the events. */
async function lastActor(client: Client, { uid, updateTime }: Versioned): Promise<string> {
  try {
    const request = { subject: uid, ...(updateTime === undefined ? {} : { since: updateTime }) };
    const events = await client.events.list(request).all(mostEvents);
    const subject = events.at(-1)?.actor?.subject;
    return subject === undefined ? "" : ` by ${await nameOf(client, subject, rootOf(uid))}`;
  } catch (error) {
    if (error instanceof PlatformError) return "";
    throw error;
  }
}

async function nameOf(client: Client, uid: string, organization: string): Promise<string> {
  const people = await readPeople(client, organization);
  const person = people.find((candidate) => candidate.uid === uid);
  if (person) return identityName(person);
  return client.identities.get(uid).then(identityName, () => shortUid(uid));
}
