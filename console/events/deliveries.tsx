/** The deliveries of one subscription, or of all subscriptions of a group. */
import { useQuery, useQueryClient } from "@tanstack/preact-query";
import type { Delivery, Subscription } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useUncountedRows } from "../data/rows.ts";
import { Button } from "../elements/button.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Page } from "../elements/page.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { RowCount, Table } from "../elements/table.tsx";
import { deliveryColumns } from "./delivery_columns.tsx";
import { deliveryStates, isDeliveryState } from "./delivery_state.tsx";
import { mergedPage } from "./merged_deliveries.ts";

/** Without a chosen subscription, the page shows the deliveries of so many. */
const maxMerged = 20;

export default function Deliveries() {
  const client = useClient();
  const { uid: group, group: shown } = useCurrentGroup();
  const permissions = useMay(group);
  const refusal = refusalOf(permissions, shown?.name ?? "", "CAP_EVENTS_SUBSCRIPTION_LIST");
  const subscriptions = useQuery({
    queryKey: ["subscriptions", "all", group],
    queryFn: () => client.subscriptions.list({ descendantsOf: group, pageSize: 200 }).all(1_000),
    enabled: group !== "" && !refusal,
  });
  return (
    <Page
      title="Deliveries"
      lead="Each event that a subscription has received or is about to receive, for 14 days."
    >
      {refusal ? (
        <Empty title="You cannot see these deliveries">
          <p>{refusal}</p>
        </Empty>
      ) : (
        <Answer query={subscriptions} lines={8}>
          {(all) => <DeliveryList group={group} subscriptions={all} />}
        </Answer>
      )}
    </Page>
  );
}

interface DeliveryListProps {
  group: string;
  subscriptions: readonly Subscription[];
}

function DeliveryList({ group, subscriptions }: DeliveryListProps) {
  const client = useClient();
  const queries = useQueryClient();
  const { get, set } = useParameters();
  const chosen = get("subscription");
  const stateName = isDeliveryState(get("state")) ? get("state") : "";
  const state = isDeliveryState(stateName) ? deliveryStates[stateName][0] : undefined;
  const merged = subscriptions.slice(0, maxMerged).map(({ uid }) => uid);
  const shown = chosen === "" ? merged : [chosen];
  const rows = useUncountedRows<Delivery>({
    key: ["deliveries", { group, shown, state: stateName }],
    list: (position) => ({
      page: () => mergedPage(client, { subscriptions: shown, state, ...position }),
    }),
  });
  if (subscriptions.length === 0 && chosen === "") {
    return (
      <Empty title="There are no deliveries here yet">
        <p>
          Events are delivered to subscriptions, and there are none.{" "}
          <a href="/console/subscriptions">Create one</a> to see its deliveries here.
        </p>
      </Empty>
    );
  }
  const sinks = new Map(subscriptions.map(({ uid, sink = "" }) => [uid, sink]));
  return (
    <>
      <div class="toolbar events-delivery-bar">
        <SelectField
          label="Subscription"
          value={chosen}
          options={[["", "All"], ...sinks]}
          onChange={(subscription) => set({ subscription })}
        />
        <SelectField
          label="State"
          value={stateName}
          options={[
            ["", "All"],
            ...Object.entries(deliveryStates).map(([name, [, text]]) => [name, text] as const),
          ]}
          onChange={(next) => set({ state: next })}
        />
        <RowCount rows={rows} noun={["delivery", "deliveries"]} />
        <Button onClick={() => void queries.invalidateQueries({ queryKey: ["deliveries"] })}>
          Refresh
        </Button>
      </div>
      {chosen === "" && subscriptions.length > maxMerged && (
        <p class="hint">
          These are the deliveries of the first {maxMerged} subscriptions. Choose a subscription to
          see those of another.
        </p>
      )}
      <Table
        label="Deliveries"
        columns={deliveryColumns(chosen === "" ? sinks : undefined)}
        rows={rows}
        keyOf={({ uid }) => uid}
        empty={
          stateName === "" ? (
            <Empty title="Nothing was sent yet">
              <p>
                To send a test event, open one of the{" "}
                <a href="/console/subscriptions">subscriptions</a>.
              </p>
            </Empty>
          ) : (
            <Empty title="No delivery is in this state">
              <p>Choose another state to see the other deliveries.</p>
            </Empty>
          )
        }
      />
    </>
  );
}
