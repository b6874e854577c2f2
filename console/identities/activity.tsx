/** When an identity came, with which token, and from where. The newest events come first. */
import { useInfiniteQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import type { Event, Page } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { rootOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Section } from "../elements/page.tsx";
import { Empty, Loading } from "../elements/states.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { Value } from "./accepts.tsx";

const pageSize = 25;

/** Words for events, by the end of their type. */
const happenings: readonly (readonly [string, string])[] = [
  ["token.exchanged.v1", "Got a token"],
  ["refresh_token.revoked.v1", "Lost its refresh tokens"],
  ["identity.created.v1", "Was created"],
  ["identity.updated.v1", "Was changed"],
];

/** The credential that the caller sent to get a token. */
const credentials: Record<string, string> = {
  KIND_FOREIGN_TOKEN: "for a token of another issuer",
  KIND_ACCESS_TOKEN: "for a token of the platform",
  KIND_AWS_REQUEST: "for a signed request of AWS",
  KIND_ID_TOKEN: "for an ID token",
  KIND_REFRESH_TOKEN: "for a refresh token",
  KIND_LOGIN: "by a login in a browser",
  KIND_AUTHORIZATION_CODE: "by a login in a browser",
};

/** `group` is where the events of the identity are. */
export function Activity({ uid, group }: { uid: string; group: string }) {
  const { may } = useMay(group);
  if (may("CAP_EVENTS_LIST") === false)
    return (
      <Empty title="You cannot see the events of this identity">
        <p>
          You need the <code>events.list</code> capability on its group. The facts of the identity
          show when it was last used.
        </p>
      </Empty>
    );
  return may("CAP_EVENTS_LIST") ? <Events uid={uid} group={group} /> : <Loading lines={6} />;
}

function Events({ uid, group }: { uid: string; group: string }) {
  const client = useClient();
  const query = useInfiniteQuery({
    queryKey: ["events", { subject: uid, group }],
    queryFn: ({ pageParam }): Promise<Page<Event>> =>
      client.events
        .list({
          childrenOf: group,
          subject: uid,
          pageSize,
          ...(pageParam === "" ? {} : { pageToken: pageParam }),
        })
        .page(),
    initialPageParam: "",
    getNextPageParam: ({ nextPageToken }) => nextPageToken,
  });
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = query;
  const events = data?.pages.flatMap(({ rows }) => rows) ?? [];
  if (error && !data) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading lines={6} />;
  return (
    <Section title="What happened" actions={<LogLinks uid={uid} group={group} />}>
      {events.length === 0 && <None hasMore={hasNextPage} />}
      <ol class="identities-events">
        {events.map((event) => (
          <EventLine key={event.uid} event={event} />
        ))}
      </ol>
      {error && <ErrorNotice error={error} retry={() => void fetchNextPage()} />}
      {hasNextPage && !error && (
        <Button busy={isFetching} onClick={() => void fetchNextPage()}>
          Show older events
        </Button>
      )}
    </Section>
  );
}

/** The event log knows more filters, and what the identity has changed itself. */
const LogLinks = ({ uid, group }: { uid: string; group: string }) => (
  <span class="identities-links">
    <Link href={addresses.events(group, { subject: uid })}>In the event log</Link>
    <Link href={addresses.events(rootOf(group), { actor: uid })}>Changes by it</Link>
  </span>
);

const None = ({ hasMore }: { hasMore: boolean }) => (
  <p class="pale" role="status">
    {hasMore
      ? "There is no event of this identity among the newest events of its group."
      : "There are no events of this identity yet."}
  </p>
);

function EventLine({ event }: { event: Event }) {
  const { type = "", createTime, actor, address, requestId, body, subject } = event;
  const text = happenings.find(([end]) => type.endsWith(end))?.[1] ?? type;
  const kind = credentials[String(body?.kind ?? "")];
  const isOwn = actor?.subject === subject;
  return (
    <li>
      <span class="identities-event-time">
        <Link href={addresses.event(event.uid)}>
          <Time time={createTime} />
        </Link>
      </span>
      <div>
        <p>
          <Badge tone={type.endsWith("exchanged.v1") ? "good" : "plain"}>{text}</Badge> {kind}
          {!isOwn && actor?.subject && (
            <>
              {" "}
              by <Value text={actor.act?.email ?? actor.subject} />
            </>
          )}
        </p>
        {isOwn && <Claims act={actor?.act ?? {}} />}
        <p class="pale identities-event-origin">
          {address && (
            <span>
              From <bdi>{address}</bdi>
            </span>
          )}
          {requestId && (
            <span>
              Request <code>{requestId}</code>
            </span>
          )}
        </p>
      </div>
    </li>
  );
}

/** The claims of the token that the identity came with. */
function Claims({ act }: { act: Record<string, string> }) {
  const shown = Object.entries(act).filter(([, value]) => value !== "");
  if (shown.length === 0) return null;
  return (
    <dl class="identities-claims">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>
            <code dir="auto">{name}</code>
          </dt>
          <dd>
            <Value text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
