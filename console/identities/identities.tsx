/** The identities of a group and of the groups below it. */
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Identity } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient, useSessionState } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { type RowWindow, useCountedRows, useUncountedRows } from "../data/rows.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { Page } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { RowCount, Table } from "../elements/table.tsx";
import { addresses } from "../frame/addresses.ts";
import { identityColumns } from "./columns.tsx";
import { FilterBar, filtersOf, isFiltered, noFilters } from "./filters.tsx";
import { type Asked, asked, type Filters } from "./listing.ts";

/** In milliseconds. A list that is opened again within this time has the same filters, and comes from the cache. */
const step = 60_000;

export default function Identities() {
  const { uid: group, group: shown } = useCurrentGroup();
  const { get, set } = useParameters();
  const { may } = useMay(group);
  const filters = filtersOf(get, group);
  const { unused, expiring } = filters;
  const now = useMemo(() => Math.floor(Date.now() / step) * step, [unused, expiring]);
  const list = asked(filters, now);
  const rows = useIdentities(list, group !== "");
  const columns = identityColumns({ sortable: list.sortable, isAboutKeys: expiring !== "" });
  return (
    <Page title="Identities" lead={<Lead />} actions={<Actions group={group} name={shown?.name} />}>
      <FilterBar filters={filters} set={set} />
      <div class="toolbar">
        <RowCount rows={rows} noun={["identity", "identities"]} />
        {isFiltered(filters) && <Button onClick={() => set(noFilters)}>Clear filters</Button>}
      </div>
      <Table
        label="Identities"
        columns={columns}
        rows={rows}
        keyOf={({ uid }) => uid}
        sorting={{ orderBy: list.orderBy, onSort: (order) => set({ order }) }}
        empty={<Nothing filters={filters} isAllowed={may("CAP_IAM_IDENTITY_LIST") !== false} />}
      />
    </Page>
  );
}

/** The rows. A list that is searched or filtered by a time has no total, so it is read from its beginning. */
function useIdentities({ request, isCounted }: Asked, enabled: boolean): RowWindow<Identity> {
  const client = useClient();
  const key = ["identities", "list", request];
  const list = (position: object) => client.identities.list({ ...request, ...position });
  const counted = useCountedRows<Identity>({ key, list, enabled: enabled && isCounted });
  const uncounted = useUncountedRows<Identity>({ key, list, enabled: enabled && !isCounted });
  return isCounted ? counted : uncounted;
}

function Lead() {
  const state = useSessionState();
  return (
    <p class="identities-lead">
      Workloads that can call the platform. An identity can do nothing until a role is bound to it.
      People belong to no group, so this list does not contain them.{" "}
      {state.kind !== "signed-out" && (
        <Link href={addresses.identity(state.uid)}>Show your own identity</Link>
      )}
    </p>
  );
}

function Actions({ group, name }: { group: string; name: string | undefined }) {
  const refusal = refusalOf(useMay(group), name ?? "", "CAP_IAM_IDENTITY_CREATE");
  return (
    <>
      <Link class="button" href={addresses.tokenDoctor(group)}>
        Token doctor
      </Link>
      {refusal ? (
        <Button kind="primary" refusal={refusal}>
          New identity
        </Button>
      ) : (
        <Link class="button primary" href={addresses.newIdentity(group)}>
          New identity
        </Link>
      )}
    </>
  );
}

function Nothing({ filters, isAllowed }: { filters: Filters; isAllowed: boolean }) {
  if (!isAllowed)
    return (
      <Empty title="You cannot see the identities of this group">
        <p>
          You need the <Badge>identity.list</Badge> capability. Ask an owner of the group.
        </p>
      </Empty>
    );
  if (isFiltered(filters))
    return (
      <Empty title="No identity matches these filters">
        <p>Change a filter, or clear all of them.</p>
      </Empty>
    );
  return (
    <Empty title="There are no identities here yet">
      <p>
        Create one for a workload, such as a job of your CI system. It then needs no stored secret:
        see <a href="/docs/tokens">how a workload gets a token</a>.
      </p>
    </Empty>
  );
}
