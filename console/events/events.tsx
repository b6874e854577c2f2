/** The event log: all changes in a group, and the changes as they happen. */
import { useQueryClient } from "@tanstack/preact-query";
import { useMemo, useReducer } from "preact/hooks";
import type { Event } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useUncountedRows } from "../data/rows.ts";
import { Button } from "../elements/button.tsx";
import { Page, Views } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { RowCount, Table } from "../elements/table.tsx";
import { addresses } from "../frame/addresses.ts";
import { eventColumns } from "./event_columns.tsx";
import { FilterBar } from "./filter_bar.tsx";
import { type EventFilters, hasFilters, readFilters, requestOf, timesOf } from "./filters.ts";
import { LiveEvents } from "./live.tsx";

export default function Events() {
  const { uid: group, group: shown } = useCurrentGroup();
  const permissions = useMay(group);
  const { get } = useParameters();
  const isLive = get("view") === "live";
  const filters = readFilters(get);
  const viewAddress = (view: string | undefined) =>
    addresses.events(get("group"), {
      types: filters.types.join(","),
      ...filters.texts,
      ...(view === undefined ? periodOf(filters) : { view }),
    });
  const refusal = refusalOf(permissions, shown?.name ?? "", "CAP_EVENTS_LIST");
  return (
    <Page
      title="Event log"
      lead={`Every change in ${shown?.name ?? "the group"} and the groups below it, who made it, and from where.`}
    >
      <Views
        label="Views of the event log"
        current={viewAddress(isLive ? "live" : undefined)}
        views={[
          [viewAddress(undefined), "Log"],
          [viewAddress("live"), "Live"],
        ]}
      />
      {refusal ? (
        <Empty title="You cannot see these events">
          <p>{refusal} Owners have it.</p>
        </Empty>
      ) : (
        <>
          <FilterBar group={group} filters={filters} hasPeriod={!isLive} />
          {isLive ? (
            <LiveEvents request={requestOf(filters, group)} enabled={group !== ""} />
          ) : (
            <LoggedEvents group={group} filters={filters} />
          )}
        </>
      )}
    </Page>
  );
}

const periodOf = ({ period, since, before }: EventFilters) => ({ period, since, before });

const columns = eventColumns();

function LoggedEvents({ group, filters }: { group: string; filters: EventFilters }) {
  const client = useClient();
  const queries = useQueryClient();
  const [look, lookAgain] = useReducer((count: number) => count + 1, 0);
  const { period, since, before } = filters;
  // A period ends now, so its beginning must not move while the pages of the list are read.
  const times = useMemo(() => timesOf(filters, Date.now()), [period, since, before, look]);
  const request = { ...requestOf(filters, group), ...times };
  const rows = useUncountedRows<Event>({
    key: ["events", request],
    list: (position) => client.events.list({ ...request, ...position }),
    enabled: group !== "",
  });
  return (
    <>
      <div class="toolbar">
        <RowCount rows={rows} noun={["event", "events"]} />
        <Button
          onClick={() => {
            lookAgain(undefined);
            void queries.invalidateQueries({ queryKey: ["events"] });
          }}
        >
          Refresh
        </Button>
      </div>
      <Table
        label="Events"
        columns={columns}
        rows={rows}
        keyOf={({ uid }) => uid}
        empty={
          hasFilters(filters) ? (
            <Empty title="No event matches these filters">
              <p>Remove a filter, or choose a longer time.</p>
            </Empty>
          ) : (
            <Empty title="There are no events here yet">
              <p>Each change has an event: a push, a new repository, a role for a person.</p>
            </Empty>
          )
        }
      />
    </>
  );
}
