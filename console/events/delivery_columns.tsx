/** The columns of tables of deliveries. */
import { Link } from "wouter-preact";
import type { Delivery } from "../../client/index.ts";
import { parentOf } from "../data/uids.ts";
import type { Column } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { AttemptBadge, DeliveryBadge, NextStep } from "./delivery_state.tsx";
import { titleOf } from "./event_types.ts";

/** With the sinks by the uid of their subscription, the table shows where each delivery goes. */
export const deliveryColumns = (sinks?: ReadonlyMap<string, string>): Column<Delivery>[] => [
  {
    title: "Event",
    width: "minmax(8rem, 3fr)",
    cell: ({ uid, eventType = "" }) => (
      <Link href={addresses.delivery(uid)} title={eventType}>
        {titleOf(eventType)}
      </Link>
    ),
  },
  ...(sinks === undefined
    ? []
    : [
        {
          title: "Sink",
          from: "medium" as const,
          width: "minmax(8rem, 3fr)",
          cell: ({ uid }: Delivery) => (
            <bdi title={sinks.get(parentOf(uid))}>{sinks.get(parentOf(uid))}</bdi>
          ),
        },
      ]),
  {
    title: "State",
    width: "7rem",
    cell: (delivery) => <DeliveryBadge delivery={delivery} />,
  },
  {
    title: "Last response",
    from: "medium",
    width: "8.5rem",
    cell: ({ attempts = [] }) => {
      const last = attempts.at(-1);
      if (!last) return <span class="pale">none yet</span>;
      const times = attempts.length === 1 ? "" : ` ${attempts.length} attempts`;
      return (
        <span title={times.trim()}>
          <AttemptBadge attempt={last} />
          {times !== "" && <span class="pale"> ×{attempts.length}</span>}
        </span>
      );
    },
  },
  {
    title: "Next or last",
    from: "wide",
    width: "10rem",
    cell: (delivery) => <NextStep delivery={delivery} />,
  },
  {
    title: "Event time",
    width: "7.6rem",
    from: "medium",
    cell: ({ createTime }) => <Time time={createTime} />,
  },
];
