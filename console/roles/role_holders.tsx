/** The holders of a role: by role bindings, by role mappings, and as the default role of an identity provider. */
import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import { PermissionDenied, type Role, type RoleBinding } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { identityName } from "../data/people.ts";
import { useClient } from "../data/platform.tsx";
import { useCountedRows } from "../data/rows.ts";
import { shownName } from "../data/shown_name.ts";
import { parentOf, rootOf, shortUid } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Section } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";

/** Role mappings and identity providers that are looked at. */
const maxRules = 200;

const columns: Column<RoleBinding>[] = [
  {
    title: "Who",
    sort: "identity",
    width: "minmax(9rem, 2fr)",
    cell: ({ identity = {}, pending }) => (
      <>
        <Link href={addresses.identity(identity.uid ?? "")} title={identity.email || identity.uid}>
          <bdi>{identityName(identity)}</bdi>
        </Link>{" "}
        {pending && <Badge tone="warn">Pending</Badge>}
      </>
    ),
  },
  {
    title: "On",
    width: "minmax(7rem, 2fr)",
    cell: ({ group = {} }) => (
      <Link
        href={
          group.repo ? addresses.repository(group.uid ?? "", "access") : addresses.access(group.uid)
        }
      >
        {shownName(group.name, group.uid ?? "")}
      </Link>
    ),
  },
  {
    title: "Given",
    sort: "create_time",
    width: "8rem",
    from: "medium",
    cell: ({ createTime }) => <Time time={createTime} />,
  },
  {
    title: "Last used",
    width: "8rem",
    from: "medium",
    cell: ({ lastUsedTime }) => <Time time={lastUsedTime} />,
  },
];

export function RoleHolders({ role }: { role: Role }) {
  const client = useClient();
  const { uid: group } = useCurrentGroup();
  const organization = rootOf(parentOf(role.uid) || group);
  const rows = useCountedRows<RoleBinding>({
    key: ["roleBindings", { role: role.uid, organization }],
    list: (position) =>
      client.roleBindings.list({ role: role.uid, descendantsOf: organization, ...position }),
    enabled: organization !== "",
  });
  return (
    <>
      <div class="toolbar">
        <RowCount rows={rows} noun={["role binding", "role bindings"]} />
      </div>
      <Table
        label={`Who has the role ${role.name}`}
        columns={columns}
        rows={rows}
        keyOf={({ uid }) => uid}
        empty={
          <Empty title="No one that you can see has this role">
            <p>
              Give it to someone in{" "}
              <Link href={addresses.access(organization)}>Groups and access</Link>.
            </p>
          </Empty>
        }
      />
      <Rules role={role.uid} organization={organization} />
    </>
  );
}

/** The rules of identity providers that give the role to people who sign in. */
function Rules({ role, organization }: { role: string; organization: string }) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ["identityProviders", "rules", role, organization],
    queryFn: async () => {
      const request = { descendantsOf: organization, pageSize: maxRules };
      const [mappings, providers] = await Promise.all([
        client.externalGroupRoleMappings.list(request).all(maxRules),
        client.identityProviders.list(request).all(maxRules),
      ]);
      return {
        mappings: mappings.filter(({ roleUid }) => roleUid === role),
        providers: providers.filter(({ defaultRole }) => defaultRole === role),
        names: new Map(providers.map(({ uid, name }) => [uid, name])),
      };
    },
    enabled: organization !== "",
  });
  if (error instanceof PermissionDenied)
    return (
      <p class="pale">
        You cannot see whether people get the role at their sign-in. For that, you need the{" "}
        <code>identity_providers.list</code> capability.
      </p>
    );
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  const { mappings = [], providers = [], names } = data ?? {};
  if (mappings.length + providers.length === 0) return null;
  return (
    <Section title="Given at sign-in">
      <ul class="roles-rules">
        {mappings.map(({ uid, externalGroupId, identityProviderUid = "" }) => (
          <li key={uid}>
            Members of <bdi>{externalGroupId}</bdi> at{" "}
            <bdi>{names?.get(identityProviderUid) ?? shortUid(identityProviderUid)}</bdi>, by a{" "}
            <Link href={addresses.roleMappings(parentOf(identityProviderUid))}>role mapping</Link>
          </li>
        ))}
        {providers.map(({ uid, name }) => (
          <li key={uid}>
            Everyone who signs in through <bdi>{name}</bdi>, as its{" "}
            <Link href={addresses.identityProviders(parentOf(uid))}>default role</Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
