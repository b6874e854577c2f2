/** One subscription: its state, its filters, and what it sent last. */
import { useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import type { Delivery, Subscription } from "../../client/index.ts";
import { useGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { useUncountedRows } from "../data/rows.ts";
import { parentOf, rootOf } from "../data/uids.ts";
import { CopyButton, Uid } from "../elements/copy.tsx";
import { Facts, Page, Section } from "../elements/page.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { deliveryColumns } from "./delivery_columns.tsx";
import { isPaused, SubscriptionBadge } from "./delivery_state.tsx";
import { titleOf } from "./event_types.ts";
import { RepoName } from "./names.tsx";
import { SubscriptionActions, subscriptionKey } from "./subscription_actions.tsx";
import { severityWords } from "./subscription_fields.tsx";
import { TestEvent } from "./test_event.tsx";

export default function OneSubscription({ rest: uid }: PageProps) {
  const client = useClient();
  const query = useQuery({
    queryKey: subscriptionKey(uid),
    queryFn: () => client.subscriptions.get(uid),
  });
  const { may } = useMay(uid);
  const subscription = query.data;
  const organization = rootOf(uid);
  return (
    <Page
      title={subscription?.sink ?? "Subscription"}
      path={[["Subscriptions", addresses.subscriptions(organization)]]}
      actions={subscription && <SubscriptionActions subscription={subscription} may={may} />}
    >
      <Answer query={query} lines={8}>
        {(subscription) => (
          <>
            <StateNotice subscription={subscription} />
            <Section title="Subscription">
              <SubscriptionFacts subscription={subscription} />
            </Section>
            <TestEvent subscription={subscription} may={may} />
            <LatestDeliveries subscription={subscription} />
          </>
        )}
      </Answer>
    </Page>
  );
}

/** Says what the platform does with a subscription that does not work, and what the person can do. */
function StateNotice({ subscription }: { subscription: Subscription }) {
  const { disabled, disableReason, disableTime, failingSince, confirmTime } = subscription;
  if (disabled) {
    return (
      <div class={isPaused(subscription) ? "events-notice warn" : "events-notice bad"}>
        <p>
          <strong>{isPaused(subscription) ? "Paused" : "Disabled"}</strong>{" "}
          <Time time={disableTime} />. {disableReason}
        </p>
        <p>
          The sink receives nothing. When you resume the subscription, the events that were pending
          before are sent. To get the events from the time in between, use “Send a period again”.
        </p>
      </div>
    );
  }
  if (!failingSince && !confirmTime) {
    return (
      <div class="events-notice warn">
        <p>
          <strong>The sink has not confirmed</strong> that it wants events.
        </p>
        <p>
          The platform asks it for about an hour, and sends the events afterwards. A receiver that
          refuses requests without a signature, and accepts those with one, confirms by that.
        </p>
      </div>
    );
  }
  if (!failingSince) return null;
  return (
    <div class="events-notice warn">
      <p>
        <strong>No request has succeeded</strong> since <Time time={failingSince} />.
      </p>
      <p>
        The platform tries each event up to ten more times, with pauses that grow to 12 hours. If no
        request succeeds for five days, or the sink responds with 410, it disables the subscription.
        The deliveries below show what the sink responded.
      </p>
    </div>
  );
}

function SubscriptionFacts({ subscription }: { subscription: Subscription }) {
  const { uid, sink = "", eventTypes = [], repoUids = [], tagPattern, grouping } = subscription;
  const { data: group } = useGroup(parentOf(uid));
  return (
    <div class="events-attributes">
      <Facts
        facts={[
          ["State", <SubscriptionBadge key="state" subscription={subscription} />],
          [
            "Sink",
            <span key="sink" class="events-copied">
              <bdi>{sink}</bdi> <CopyButton text={sink} what="sink" />
            </span>,
          ],
          [
            "Events",
            eventTypes.length === 0 ? (
              "all types"
            ) : (
              <Lines
                lines={eventTypes.map((type) => [type, <TypeLine key={type} type={type} />])}
              />
            ),
          ],
          [
            "Repositories",
            repoUids.length === 0 ? (
              "all, and events about other things"
            ) : (
              <Lines
                lines={repoUids.map((repo) => [
                  repo,
                  <Link key={repo} href={addresses.repository(repo)}>
                    <RepoName uid={repo} />
                  </Link>,
                ])}
              />
            ),
          ],
          ["Tags", tagPattern ? <code>{tagPattern}</code> : "any tag or none"],
          [
            "Affected images",
            grouping === "EVENT_GROUPING_VULNERABILITY"
              ? "one event for each vulnerability"
              : "one event for each image",
          ],
          ["Severity", severityWords(subscription) ?? "any"],
          ["Group", group ? <bdi>{group.name}</bdi> : <Uid uid={parentOf(uid)} />],
          ["Created", <Time key="created" time={subscription.createTime} />],
          ["Changed", <Time key="changed" time={subscription.updateTime} />],
          ["Uid", <Uid key="uid" uid={uid} />],
        ]}
      />
    </div>
  );
}

function TypeLine({ type }: { type: string }) {
  const title = titleOf(type);
  return (
    <>
      {title !== type && `${title} `}
      <code class="pale">{type}</code>
    </>
  );
}

function Lines({ lines }: { lines: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <ul class="events-lines">
      {lines.map(([key, line]) => (
        <li key={key}>{line}</li>
      ))}
    </ul>
  );
}

const columns = deliveryColumns();

function LatestDeliveries({ subscription: { uid } }: { subscription: Subscription }) {
  const client = useClient();
  const rows = useUncountedRows<Delivery>({
    key: ["deliveries", { subscription: uid, state: "" }],
    list: (position) => client.deliveries.list({ parent: uid, ...position }),
  });
  const all = addresses.deliveries(rootOf(uid), { subscription: uid });
  return (
    <Section title="Deliveries" actions={<Link href={all}>Filter them</Link>}>
      <Table
        label="Deliveries"
        columns={columns}
        rows={rows}
        keyOf={(delivery) => delivery.uid}
        empty={
          <Empty title="Nothing was sent yet">
            <p>Send a test event to see whether the sink works.</p>
          </Empty>
        }
      />
    </Section>
  );
}
