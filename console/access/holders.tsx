/** Everyone who has some capabilities on a group, as a table with the roles that give them. */
import { Link } from "wouter-preact";
import type { Capability, Group } from "../../client/index.ts";

import { useNames } from "../data/names.ts";

import { shownName } from "../data/shown_name.ts";

import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { capabilityName } from "../elements/capabilities.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { type Column, rowsOf, Table } from "../elements/table.tsx";
import { addresses } from "../frame/addresses.ts";
import type { Holder } from "./holder.ts";
import { useHolders } from "./holder_data.ts";
import { stateText, toStateText } from "./states.ts";

interface HoldersProps {
  group: Group;
  capabilities: readonly Capability[];
  isNow: boolean;
}

/** The table of those who can do something, and what the states mean. */
export function Holders({ group, capabilities, isNow }: HoldersProps) {
  const query = useHolders(group.uid, capabilities);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const entries = (query.data ?? []).flatMap((holder) => holder.entries);
  const nameOf = useNames(entries.map(({ groupUid = "" }) => groupUid));
  return (
    <Answer query={query} lines={6}>
      {(holders) => {
        const shown = holders.filter(
          (holder) => !isNow || holder.state === "ACCESS_STATE_EFFECTIVE",
        );
        return (
          <>
            <Table
              label="Who can do this"
              columns={columnsOf(group, nameOf, capabilities[0])}
              rows={rowsOf(shown)}
              keyOf={({ key }) => key}
              empty={<Empty title="No one that you can see can do this" />}
            />
            {hasNextPage && (
              <p>
                The list is not complete yet.{" "}
                <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                  Show more
                </Button>
              </p>
            )}
          </>
        );
      }}
    </Answer>
  );
}

function columnsOf(
  group: Group,
  nameOf: (uid: string) => string,
  capability: Capability | undefined,
): Column<Holder>[] {
  return [
    { title: "Who", width: "minmax(8rem, 2fr)", cell: (holder) => <HolderName holder={holder} /> },
    {
      title: "Through",
      width: "minmax(8rem, 3fr)",
      from: "medium",
      cell: (holder) => <Ways holder={holder} group={group} nameOf={nameOf} />,
    },
    { title: "State", width: "7.5rem", cell: ({ state }) => <State state={state} /> },
    {
      title: "Why",
      width: "3rem",
      cell: ({ identity }) =>
        identity && capability ? (
          <Link
            href={addresses.access(group.uid, {
              view: "why",
              identity: identity.uid,
              resource: group.uid,
              capability: capabilityName(capability),
            })}
            aria-label={`Why for ${shownName(identity.name, identity.uid)}`}
          >
            Why
          </Link>
        ) : null,
    },
  ];
}

function HolderName({ holder: { identity, externalGroup, scimGroup } }: { holder: Holder }) {
  if (!identity)
    return (
      <span title={externalGroup}>
        <bdi>{scimGroup ?? externalGroup}</bdi>{" "}
        <span class="pale">{scimGroup ? "SCIM group" : "external group"}</span>
      </span>
    );
  return (
    <Link href={addresses.identity(identity.uid)} title={identity.uid}>
      <bdi>{shownName(identity.name, identity.uid)}</bdi>
    </Link>
  );
}

interface WaysProps {
  holder: Holder;
  group: Group;
  nameOf: (uid: string) => string;
}

function Ways({ holder: { entries }, group, nameOf }: WaysProps) {
  const texts = entries.map(({ roleName, groupUid = "", externalGroupRoleMappingUid }) => {
    const source = groupUid === group.uid ? "this group" : nameOf(groupUid);
    return `${roleName} on ${source}${externalGroupRoleMappingUid ? ", by a role mapping" : ""}`;
  });
  return <span title={texts.join("\n")}>{texts.join("; ")}</span>;
}

function State({ state }: { state: Holder["state"] }) {
  const { name, tone, text } = toStateText(state);
  return (
    <span title={text}>
      <Badge tone={tone}>{name}</Badge>
    </span>
  );
}

/** Explains the states below a table, where everyone can read them. */
export const StateLegend = () => (
  <details class="access-legend">
    <summary>What the states mean</summary>
    <dl>
      {Object.values(stateText).map(({ name, tone, text }) => (
        <div key={name}>
          <dt>
            <Badge tone={tone}>{name}</Badge>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
    <p class="pale">
      Anyone can pull public images. The list does not contain that, and not which tokens are
      limited.
    </p>
  </details>
);
