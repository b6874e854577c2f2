/** The capabilities of a role by the kind of resource, with what each allows. */
import { capabilityInfo } from "../../client/capabilities.ts";
import type { Role } from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { Badge } from "../elements/badge.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { Empty } from "../elements/states.tsx";
import { capabilityGroups } from "./capability_groups.ts";

export function RoleCapabilities({ role: { capabilities = [] } }: { role: Role }) {
  const { get, set } = useParameters();
  const find = get("find").toLowerCase();
  const held = new Set<string>(capabilities);
  const unknown = capabilities.filter((capability) => !capabilityInfo(capability));
  const groups = capabilityGroups(
    ({ value, name, description }) =>
      held.has(value) && `${name} ${description.toLowerCase()}`.includes(find),
  );
  return (
    <>
      <div class="toolbar">
        <SearchField
          label="Find a capability"
          value={get("find")}
          onSearch={(text) => set({ find: text })}
        />
      </div>
      {groups.length === 0 && <Empty title="No capability of this role contains this text" />}
      <div class="roles-kinds">
        {groups.map(({ kind, title, members }) => (
          <section key={kind} class="roles-kind" aria-label={title}>
            <h2>{title}</h2>
            <dl>
              {members.map(({ value, name, description, isInternal, isDeprecated }) => (
                <div key={value}>
                  <dt>
                    <code>{name}</code> {isInternal && <Badge tone="info">Operator</Badge>}
                    {isDeprecated && <Badge>Without effect</Badge>}
                  </dt>
                  <dd>{description}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      {unknown.length > 0 && (
        <p>
          The platform is newer than this page. The role has more capabilities: {unknown.join(", ")}
          .
        </p>
      )}
    </>
  );
}
