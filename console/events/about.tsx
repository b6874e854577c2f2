/** The subject of an event, and the page that shows it. */
import { Link } from "wouter-preact";
import type { Event } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { identityName } from "../data/people.ts";
import { parentOf, shortUid } from "../data/uids.ts";
import { addresses } from "../frame/addresses.ts";
import { plainType } from "./event_types.ts";
import { RepoName } from "./names.tsx";

/** Beginnings of types whose subject has a page. */
const pages: readonly (readonly [string, (uid: string) => string])[] = [
  ["api.platform.registry.repo.", addresses.repository],
  ["api.platform.registry.tag.moved.batch", addresses.repository],
  ["api.platform.registry.tag.", addresses.tag],
  ["api.events.subscription.", addresses.subscription],
  ["api.events.delivery.", addresses.delivery],
  ["api.iam.identity_providers.login.", addresses.identity],
  ["api.iam.identity_providers.", addresses.identityProvider],
  ["api.iam.external_group_role_mappings.", (uid) => addresses.roleMappings(parentOf(uid))],
  ["api.iam.identity.", addresses.identity],
  ["api.iam.key.", (uid) => addresses.identity(parentOf(uid), "keys")],
  ["api.iam.group.", addresses.access],
  ["api.iam.group_invite.", (uid) => addresses.invites(parentOf(uid))],
  ["api.iam.roles.", addresses.role],
  ["registry.", addresses.repository],
];

/** Beginnings of types about an image, and the view of its page that shows more. */
const images: readonly (readonly [string, string | undefined])[] = [
  ["api.platform.registry.manifest.", undefined],
  ["api.platform.registry.sbom.", "packages"],
  ["api.platform.registry.vuln_report.", "vulnerabilities"],
];

/** The parts of a role binding that an event contains. */
interface BindingBody {
  identity?: { uid?: string; name?: string; email?: string };
  group?: { uid?: string };
  role?: { name?: string };
}

/** The role binding in the body of an event, if there is one. */
const bindingOf = ({ type = "", body }: Event): BindingBody | undefined =>
  plainType(type).startsWith("api.iam.rolebindings.") ? (body as BindingBody) : undefined;

/** The address of the resource that an event is about. Undefined if it has no page or was deleted. */
function addressOf(event: Event): string | undefined {
  const { type = "", subject = "", repoUid, digest } = event;
  const plain = plainType(type);
  const binding = bindingOf(event);
  if (binding?.group?.uid && binding.identity?.uid)
    return addresses.access(binding.group.uid, { identity: binding.identity.uid });
  if (subject === "" || plain.includes(".deleted.")) return undefined;
  const image = images.find(([beginning]) => plain.startsWith(beginning));
  if (image && repoUid && digest) return addresses.image(repoUid, digest, { view: image[1] });
  const page = pages.find(([beginning]) => plain.startsWith(beginning))?.[1];
  return page?.(plain.startsWith("registry.") ? (repoUid ?? subject) : subject) || undefined;
}

/** The resource of an event in words: `python:3.12`, a name, or a part of the uid. */
export function Resource({ event }: { event: Event }) {
  const { repoUid, tag, digest, subject = "", body } = event;
  if (repoUid) {
    return (
      <>
        <RepoName uid={repoUid} />
        {tag ? <bdi>:{tag}</bdi> : digest ? <bdi>@{shortDigest(digest)}</bdi> : ""}
      </>
    );
  }
  const { identity, role } = bindingOf(event) ?? {};
  if (identity?.uid && role?.name) {
    const text = `${role.name} for ${identityName(identity)}`;
    return <bdi title={text}>{text}</bdi>;
  }
  const name = body?.name ?? body?.email ?? body?.sink;
  if (typeof name === "string" && name.trim() !== "") return <bdi title={name}>{name}</bdi>;
  return <code title={subject}>{shortUid(subject)}</code>;
}

/** The subject of an event, as a link if it has a page. */
export function About({ event }: { event: Event }) {
  const address = addressOf(event);
  const resource = <Resource event={event} />;
  return address === undefined ? resource : <Link href={address}>{resource}</Link>;
}
