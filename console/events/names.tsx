/** Names of identities and repositories where an event only has their uids. */
import { Link } from "wouter-preact";
import { useKnownName } from "../data/names.ts";
import { identityName, usePeople } from "../data/people.ts";
import { useSessionState } from "../data/platform.tsx";
import { isPerson, shortUid } from "../data/uids.ts";
import { addresses } from "../frame/addresses.ts";

/** The name of the signed-in person if the uid is theirs. */
function useOwnName(uid: string): string | undefined {
  const state = useSessionState();
  return state.kind !== "signed-out" && state.uid === uid ? state.name : undefined;
}

/** The name of an identity. Empty while it is not known. */
export function useIdentityName(uid: string, organization: string): string {
  const own = useOwnName(uid);
  const people = usePeople(organization, isPerson(uid) && own === undefined);
  const workload = useKnownName("identities", isPerson(uid) ? "" : uid);
  const person = people.data?.find((candidate) => candidate.uid === uid);
  return own ?? (person ? identityName(person) : workload);
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

/** The name of that identity as text. */
export function ActorName({ uid, organization }: { uid: string; organization: string }) {
  const name = useIdentityName(uid, organization);
  return uid === "" ? <>the platform</> : <Shown name={name} uid={uid} />;
}

/** The name of a repository as text. */
export function RepoName({ uid }: { uid: string }) {
  return <Shown name={useKnownName("repos", uid)} uid={uid} />;
}
