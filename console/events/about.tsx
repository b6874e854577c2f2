/** The subject of an event, and the page that shows it. */

import { Link } from "wouter-preact";
import type { Event } from "../../client/index.ts";
import { shortUid } from "../data/uids.ts";
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
  ["api.iam.identity_providers.", () => ""],
  ["api.iam.identity.", addresses.identity],
  ["api.iam.group.", addresses.access],
  ["registry.", addresses.repository],
];

/** The address of the resource that an event is about. Undefined if it has no page or was deleted. */
export function addressOf({ type = "", subject = "", repoUid, digest }: Event): string | undefined {
  const plain = plainType(type);
  if (subject === "" || plain.includes(".deleted.")) return undefined;
  if (plain.startsWith("api.platform.registry.manifest.") && repoUid && digest)
    return addresses.image(repoUid, digest);
  const page = pages.find(([beginning]) => plain.startsWith(beginning))?.[1];
  return page?.(plain.startsWith("registry.") ? (repoUid ?? subject) : subject) || undefined;
}

/** The resource of an event in words: `python:3.12`, a name, or a part of the uid. */
function Resource({ event: { repoUid, tag, digest, subject = "", body } }: { event: Event }) {
  if (repoUid) {
    return (
      <>
        <RepoName uid={repoUid} />
        {tag ? <bdi>:{tag}</bdi> : digest ? <bdi>@{digest.slice(0, 19)}</bdi> : ""}
      </>
    );
  }
  const name = body?.name ?? body?.sink;
  if (typeof name === "string" && name.trim() !== "") return <bdi title={name}>{name}</bdi>;
  return <code title={subject}>{shortUid(subject)}</code>;
}

/** The subject of an event, as a link if it has a page. */
export function About({ event }: { event: Event }) {
  const address = addressOf(event);
  const resource = <Resource event={event} />;
  return address === undefined ? resource : <Link href={address}>{resource}</Link>;
}
