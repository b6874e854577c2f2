/** All subscriptions of a group and of the groups below it. */
import { Link } from "wouter-preact";
import type { Subscription } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useCountedRows } from "../data/rows.ts";
import { Button } from "../elements/button.tsx";
import { Page } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { SubscriptionBadge } from "./delivery_state.tsx";
import { titleOf } from "./event_types.ts";
import { NewSubscriptionDialog } from "./new_subscription.tsx";
import { severityWords } from "./subscription_fields.tsx";

/** The filters of a subscription in words. */
function filterWords(subscription: Subscription): string {
  const { eventTypes = [], repoUids = [], tagPattern, grouping } = subscription;
  const severity = severityWords(subscription);
  const [first, ...others] = eventTypes;
  const types = first === undefined ? "All events" : titleOf(first);
  return [
    others.length > 0 ? `${types} and ${others.length} more` : types,
    ...(repoUids.length > 0
      ? [repoUids.length === 1 ? "1 repository" : `${repoUids.length} repositories`]
      : []),
    ...(tagPattern ? [`tags ${tagPattern}`] : []),
    ...(severity ? [severity] : []),
    ...(grouping === "EVENT_GROUPING_VULNERABILITY" ? ["one for each vulnerability"] : []),
  ].join(", ");
}

const columns: Column<Subscription>[] = [
  {
    title: "Sink",
    width: "minmax(8rem, 3fr)",
    cell: ({ uid, sink }) => (
      <Link href={addresses.subscription(uid)}>
        <bdi title={sink}>{sink}</bdi>
      </Link>
    ),
  },
  {
    title: "Receives",
    from: "medium",
    width: "minmax(10rem, 3fr)",
    cell: (subscription) => filterWords(subscription),
  },
  {
    title: "State",
    width: "6rem",
    cell: (subscription) => <SubscriptionBadge subscription={subscription} />,
  },
  {
    title: "Failing since",
    from: "wide",
    width: "9rem",
    cell: ({ failingSince }) => <Time time={failingSince} absent="" />,
  },
  {
    title: "Changed",
    from: "medium",
    width: "8rem",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
];

export default function Subscriptions() {
  const client = useClient();
  const { uid: group, group: shown } = useCurrentGroup();
  const { isOn, set } = useParameters();
  const permissions = useMay(group);
  const groupName = shown?.name ?? "";
  const listRefusal = refusalOf(permissions, groupName, "CAP_EVENTS_SUBSCRIPTION_LIST");
  const rows = useCountedRows<Subscription>({
    key: ["subscriptions", { group }],
    list: (position) => client.subscriptions.list({ descendantsOf: group, ...position }),
    enabled: group !== "" && !listRefusal,
  });
  const refusal = refusalOf(permissions, groupName, "CAP_EVENTS_SUBSCRIPTION_CREATE");
  const isNew = isOn("new") && refusal === undefined;
  return (
    <Page
      title="Subscriptions"
      lead="A subscription sends the events of a group to your URL, its sink."
      actions={
        <Button kind="primary" refusal={refusal} onClick={() => set({ new: "1" })}>
          New subscription
        </Button>
      }
    >
      {listRefusal ? (
        <Empty title="You cannot see these subscriptions">
          <p>{listRefusal}</p>
        </Empty>
      ) : (
        <>
          <div class="toolbar">
            <RowCount rows={rows} noun={["subscription", "subscriptions"]} />
          </div>
          <Table
            label="Subscriptions"
            columns={columns}
            rows={rows}
            keyOf={({ uid }) => uid}
            empty={
              <Empty title="There are no subscriptions here yet">
                <p>
                  Create one, and your program learns of each change a moment later.{" "}
                  <a href="/docs/events">The guide</a> shows how to receive events.
                </p>
              </Empty>
            }
          />
        </>
      )}
      {isNew && <NewSubscriptionDialog group={group} onClose={() => set({ new: "" })} />}
    </Page>
  );
}
