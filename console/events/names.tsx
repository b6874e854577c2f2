/** Names of identities and repositories where an event only has their uids. */

import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import type { Client } from "../../client/index.ts";
import { useClient, useSessionState } from "../data/platform.tsx";
import { shortUid } from "../data/uids.ts";
import { addresses } from "../frame/addresses.ts";

/** Names by uid. */
type Names = ReadonlyMap<string, string>;

/** A URL has room for so many uids. */
const maxUids = 100;

/** Looks up names, so that the uids of one moment share a request. */
class NameBatch {
  readonly #load: (uids: string[]) => Promise<Names>;
  #waiting = new Map<string, ((name: string) => void)[]>();

  constructor(load: (uids: string[]) => Promise<Names>) {
    this.#load = load;
  }

  /** The name of a uid. Empty if the person cannot see it, or if there is none. */
  find(uid: string): Promise<string> {
    if (this.#waiting.size === 0) setTimeout(() => void this.#send(), 10);
    return new Promise((resolve) => {
      this.#waiting.set(uid, [...(this.#waiting.get(uid) ?? []), resolve]);
    });
  }

  async #send(): Promise<void> {
    const waiting = [...this.#waiting];
    this.#waiting = new Map();
    for (let at = 0; at < waiting.length; at += maxUids) {
      const part = waiting.slice(at, at + maxUids);
      const names = await this.#load(part.map(([uid]) => uid)).catch((): Names => new Map());
      for (const [uid, resolves] of part)
        for (const resolve of resolves) resolve(names.get(uid) ?? "");
    }
  }
}

const namesOf = (rows: readonly { uid: string; name: string }[]): Names =>
  new Map(rows.map(({ uid, name }) => [uid, name]));

/** The batches of a client. */
const batches = new WeakMap<Client, { identities: NameBatch; repos: NameBatch }>();

function batchesOf(client: Client) {
  const found = batches.get(client);
  if (found) return found;
  const created = {
    identities: new NameBatch(async (ids) =>
      namesOf(await client.identities.list({ ids, pageSize: ids.length }).all()),
    ),
    repos: new NameBatch(async (ids) =>
      namesOf(await client.repos.list({ ids, pageSize: ids.length }).all()),
    ),
  };
  batches.set(client, created);
  return created;
}

/** Names change rarely, and a name that is a minute old still says who or what it was. */
const staleTime = 300_000;

/** A person has no group, and only the role bindings of an organization contain their name. */
const isPerson = (uid: string) => uid !== "" && !uid.includes("/");

/** The people with a role in an organization, at most 200, by uid. */
export function usePeople(organization: string, enabled = true) {
  const client = useClient();
  return useQuery({
    queryKey: ["names", "people", organization],
    queryFn: async (): Promise<Names> => {
      const bindings = await client.roleBindings
        .list({ descendantsOf: organization, pageSize: 200 })
        .page();
      return new Map(
        bindings.rows.flatMap(({ identity }) => {
          const { uid = "", name = "", email = "" } = identity ?? {};
          return isPerson(uid) ? [[uid, email || name] as const] : [];
        }),
      );
    },
    enabled: enabled && organization !== "",
    staleTime,
  });
}

/** The name of the signed-in person if the uid is theirs. */
function useOwnName(uid: string): string | undefined {
  const state = useSessionState();
  return state.kind !== "signed-out" && state.uid === uid ? state.name : undefined;
}

/** The name of an identity. Empty while it is not known. */
export function useIdentityName(uid: string, organization: string): string {
  const client = useClient();
  const own = useOwnName(uid);
  const people = usePeople(organization, isPerson(uid) && own === undefined);
  const { data } = useQuery({
    queryKey: ["names", "identity", uid],
    queryFn: () => batchesOf(client).identities.find(uid),
    enabled: uid.includes("/"),
    staleTime,
  });
  return own ?? (isPerson(uid) ? people.data?.get(uid) : data) ?? "";
}

/** The name of a repository. Empty while it is not known. */
export function useRepoName(uid: string): string {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ["names", "repo", uid],
    queryFn: () => batchesOf(client).repos.find(uid),
    enabled: uid !== "",
    staleTime,
  });
  return data ?? "";
}

/** A name, or a part of the uid without one. */
const Shown = ({ name, uid }: { name: string; uid: string }) =>
  name.trim() === "" ? <code title={uid}>{shortUid(uid)}</code> : <bdi title={name}>{name}</bdi>;

/** The identity that did something, as a link. An empty uid is the platform itself. */
export function Actor({ uid, organization }: { uid: string; organization: string }) {
  const name = useIdentityName(uid, organization);
  const isOwn = useOwnName(uid) !== undefined;
  if (uid === "") return <span class="pale">the platform</span>;
  return (
    <Link href={addresses.identity(uid)}>
      <Shown name={name} uid={uid} />
      {isOwn && " (you)"}
    </Link>
  );
}

/** The name of a repository as text. */
export function RepoName({ uid }: { uid: string }) {
  return <Shown name={useRepoName(uid)} uid={uid} />;
}
