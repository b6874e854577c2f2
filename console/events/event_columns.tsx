/** The columns of tables of events. */
import { Link } from "wouter-preact";
import type { Event } from "../../client/index.ts";
import { rootOf } from "../data/uids.ts";
import type { Column } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { About, Resource } from "./about.tsx";
import { plainType, titleOf } from "./event_types.ts";
import { Actor } from "./names.tsx";

/** `markOf` returns a class for the first cell of an event. */
export const eventColumns = (markOf: (event: Event) => string = () => ""): Column<Event>[] => [
  {
    title: "Event",
    width: "minmax(4.75rem, 3fr)",
    cell: (event) => (
      <>
        <Link href={addresses.event(event.uid)} class={markOf(event)}>
          {titleOf(event.type ?? "")}
        </Link>
        <span class="events-about">
          <Resource event={event} />
        </span>
      </>
    ),
  },
  {
    title: "About",
    width: "minmax(3.75rem, 3fr)",
    from: "medium",
    cell: (event) => <About event={event} />,
  },
  {
    title: "By",
    width: "minmax(6rem, 2fr)",
    from: "medium",
    cell: ({ uid, actor }) => <Actor uid={actor?.subject ?? ""} organization={rootOf(uid)} />,
  },
  {
    title: "Type",
    width: "minmax(10rem, 4fr)",
    from: "wide",
    cell: ({ type = "" }) => (
      <code class="pale" title={type}>
        {plainType(type)}
      </code>
    ),
  },
  {
    title: "When",
    width: "7.6rem",
    cell: ({ createTime }) => <Time time={createTime} />,
  },
];
