/** One event: who changed what, the body, and the sinks that received it. */
import { useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import type { Event } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { rootOf } from "../data/uids.ts";
import { CopyButton, Digest, Uid } from "../elements/copy.tsx";
import { Facts, Page, Section } from "../elements/page.tsx";
import { Answer } from "../elements/states.tsx";
import { exactTime, Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { About } from "./about.tsx";
import { EventDeliveries } from "./event_deliveries.tsx";
import { plainType, titleOf } from "./event_types.ts";
import { JsonTree } from "./json_tree.tsx";
import { Actor, RepoName } from "./names.tsx";

export default function OneEvent({ rest: uid }: PageProps) {
  const client = useClient();
  const event = useQuery({ queryKey: ["event", uid], queryFn: () => client.events.get(uid) });
  const organization = rootOf(uid);
  const path = [["Event log", addresses.events(organization)]] as const;
  return (
    <Page
      title={event.data ? titleOf(event.data.type ?? "") : "Event"}
      path={path}
      lead={event.data && <Summary event={event.data} />}
    >
      <Answer query={event} lines={8}>
        {(loaded) => (
          <>
            <Section title="Attributes">
              <Attributes event={loaded} />
            </Section>
            <Section title="Body" actions={loaded.body && <CopyBody event={loaded} />}>
              {loaded.body ? (
                <JsonTree value={loaded.body} />
              ) : (
                <p class="pale">The event has no body. The subject says what it is about.</p>
              )}
            </Section>
            <EventDeliveries event={loaded} />
          </>
        )}
      </Answer>
    </Page>
  );
}

function Summary({ event }: { event: Event }) {
  return (
    <>
      <About event={event} />, <Time time={event.createTime} />, by{" "}
      <Actor uid={event.actor?.subject ?? ""} organization={rootOf(event.uid)} />
    </>
  );
}

function CopyBody({ event: { body } }: { event: Event }) {
  return (
    <span class="copyable">
      Copy as JSON <CopyButton text={JSON.stringify(body, null, 2)} what="body" />
    </span>
  );
}

const Copied = ({ text = "", what }: { text: string | undefined; what: string }) =>
  text === "" ? null : (
    <span class="events-copied">
      <code>{text}</code> <CopyButton text={text} what={what} />
    </span>
  );

interface SharedProps {
  children: ComponentChildren;
  label: string;
  group: string;
  /** The filter of the event log, as its address names it. */
  filter: string;
  value: string | undefined;
}

/** A value, and a link to all events with the same value. */
function Shared({ children, label, group, filter, value = "" }: SharedProps) {
  return (
    <>
      {children}{" "}
      <Link
        class="events-same"
        href={addresses.events(group, { [filter]: value })}
        aria-label={`See all events with the same value of ${label}`}
      >
        See all
      </Link>
    </>
  );
}

function Attributes({ event }: { event: Event }) {
  const { uid, id, type = "", source, subject, group, actor, bodyType, requestId } = event;
  const { address, repoUid, tag, digest, previousDigest, createTime } = event;
  const organization = rootOf(uid);
  const same = (
    label: string,
    filter: string,
    value: string | undefined,
    shown: ComponentChildren,
  ): readonly [string, ComponentChildren] => [
    label,
    value && (
      <Shared label={label} filter={filter} value={value} group={organization}>
        {shown}
      </Shared>
    ),
  ];
  return (
    <div class="events-attributes">
      <Facts
        facts={[
          ["When", exactTime(createTime)],
          same("Type", "types", plainType(type), <Copied text={type} what="type" />),
          same("About", "subject", subject, <About event={event} />),
          actor?.subject
            ? same(
                "By",
                "actor",
                actor.subject,
                <Actor uid={actor.subject} organization={organization} />,
              )
            : ["By", "the platform"],
          ["From the address", address],
          same("Request", "request", requestId, <Copied text={requestId} what="request id" />),
          same("Repository", "repo", repoUid, <RepoLink uid={repoUid ?? ""} />),
          same("Tag", "tag", tag, <bdi>{tag}</bdi>),
          ["Digest", digest && <Digest digest={digest} />],
          ["Digest before", previousDigest && <Digest digest={previousDigest} />],
          ["Subject", subject && <Uid uid={subject} />],
          ["Group", group && <Uid uid={group} />],
          ["Id of the CloudEvent", <Copied key="id" text={id} what="id" />],
          ["Uid", <Uid key="uid" uid={uid} />],
          ["Operation", <Copied key="source" text={source} what="operation" />],
          ["Message in the body", bodyType && <code>{bodyType}</code>],
        ]}
      />
      {actor?.act && (
        <>
          <h3 class="events-part">Claims of the token that the identity came with</h3>
          <Facts
            facts={Object.entries(actor.act).map(([name, text]) => [
              name,
              <bdi key={name}>{text}</bdi>,
            ])}
          />
        </>
      )}
    </div>
  );
}

const RepoLink = ({ uid }: { uid: string }) => (
  <Link href={addresses.repository(uid)}>
    <RepoName uid={uid} />
  </Link>
);
