/** The role mappings of the identity providers of a group: roles for groups at a provider. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { ExternalGroupRoleMapping, IdentityProvider } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useCountedRows } from "../data/rows.ts";
import { Button } from "../elements/button.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Page } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { RowCount, Table } from "../elements/table.tsx";
import { addresses } from "../frame/addresses.ts";
import { capabilities, columns, type Opened, type Selection } from "./columns.tsx";
import { DeleteMappingsDialog } from "./delete_mappings.tsx";
import { MappingDialog } from "./mapping_dialog.tsx";

/** Identity providers that the filter shows at most. */
const maxProviders = 200;

export default function RoleMappings() {
  const { uid, group } = useCurrentGroup();
  const { get, set } = useParameters();
  const permissions = useMay(uid);
  const groupName = group?.name ?? "";
  const [opened, open] = useState<Opened>();
  const [selection, setSelection] = useState<Selection>(new Map());
  const provider = get("provider");
  const orderBy = get("order") || "external_group_id";
  const { data: providers = [], isPending } = useProviders(uid);
  const rows = useMappings({ uid, provider, orderBy });
  const close = () => open(undefined);
  const refusal =
    refusalOf(permissions, groupName, ...capabilities.create) ??
    (isPending || providers.length > 0 ? undefined : "Create an identity provider first.");
  return (
    <Page
      title="Role mappings"
      lead="A role mapping gives a role to everyone in a group of an identity provider, while they are in that group."
      actions={
        <Button kind="primary" refusal={refusal} onClick={() => open({ kind: "new" })}>
          New role mapping
        </Button>
      }
    >
      <NoClaimWarning provider={providers.find((candidate) => candidate.uid === provider)} />
      <div class="toolbar">
        <div class="role-mappings-provider">
          <SelectField
            label="Identity provider"
            value={provider}
            options={[
              ["", "All"],
              ...providers.map((option) => [option.uid, option.name] as const),
            ]}
            onChange={(next) => {
              setSelection(new Map());
              set({ provider: next });
            }}
          />
        </div>
        <RowCount rows={rows} noun={["role mapping", "role mappings"]} />
        {selection.size > 0 && (
          <>
            <Button
              kind="danger"
              refusal={
                refusalOf(permissions, groupName, ...capabilities.delete) ??
                manyProviders(selection)
              }
              onClick={() => open({ kind: "delete", mappings: [...selection.values()] })}
            >
              Delete {selection.size} selected
            </Button>
            <Button onClick={() => setSelection(new Map())}>Clear the selection</Button>
          </>
        )}
      </div>
      <Table
        label="Role mappings"
        columns={columns({ open, permissions, groupName, selection, onSelect: setSelection })}
        rows={rows}
        keyOf={(mapping) => mapping.uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={
          <Empty title="No group of a provider is mapped to a role">
            <p>
              Map a group, and its members get the role when they log in.{" "}
              <a href="/docs/people">The guide</a> shows how.
            </p>
          </Empty>
        }
      />
      {opened?.kind === "new" && (
        <MappingDialog providers={providers} provider={provider} onClose={close} />
      )}
      {opened?.kind === "edit" && (
        <MappingDialog providers={providers} mapping={opened.mapping} onClose={close} />
      )}
      {opened?.kind === "delete" && (
        <DeleteMappingsDialog
          mappings={opened.mappings}
          onDeleted={() => setSelection(new Map())}
          onClose={close}
        />
      )}
    </Page>
  );
}

function useProviders(uid: string) {
  const client = useClient();
  return useQuery({
    queryKey: ["identityProviders", { uid }, "all"],
    queryFn: () =>
      client.identityProviders.list({ descendantsOf: uid, orderBy: "name" }).all(maxProviders),
    enabled: uid !== "",
  });
}

function useMappings(shown: { uid: string; provider: string; orderBy: string }) {
  const { uid, provider, orderBy } = shown;
  const client = useClient();
  const scope = provider === "" ? { descendantsOf: uid } : { identityProviderUid: provider };
  return useCountedRows<ExternalGroupRoleMapping>({
    key: ["externalGroupRoleMappings", shown],
    list: (position) => client.externalGroupRoleMappings.list({ ...scope, orderBy, ...position }),
    enabled: uid !== "",
  });
}

/** One call deletes the role mappings of one provider. */
function manyProviders(selection: Selection): string | undefined {
  const providers = new Set(
    [...selection.values()].map(({ identityProviderUid }) => identityProviderUid),
  );
  return providers.size > 1
    ? "One deletion can contain the role mappings of one identity provider only."
    : undefined;
}

function NoClaimWarning({ provider }: { provider: IdentityProvider | undefined }) {
  if (!provider || provider.oidc?.groupsClaim) return null;
  return (
    <p class="role-mappings-warning">
      <bdi>{provider.name}</bdi> has no groups claim, so its role mappings have no effect.{" "}
      <Link href={addresses.identityProvider(provider.uid, "edit")}>Set the groups claim</Link>
    </p>
  );
}
