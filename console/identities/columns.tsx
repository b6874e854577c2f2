/** The columns of the list of identities. */
import { Link } from "wouter-preact";
import type { Identity } from "../../client/index.ts";
import { shownName } from "../data/shown_name.ts";
import { parentOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { GroupPath } from "../elements/group_path.tsx";
import type { Column } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { issuerName, kindNames, kindOf, principalName } from "./kinds.ts";

/** In milliseconds. An identity that is older and was never used is conspicuous. */
const longUnused = 30 * 86_400_000;
/** In milliseconds. Keys with less time left are conspicuous. */
const soon = 30 * 86_400_000;

/** When an identity was used, or that it never was. */
export function LastUse({ identity }: { identity: Identity }) {
  const { lastUsedTime, createTime } = identity;
  if (lastUsedTime) return <Time time={lastUsedTime} />;
  const isOld = Date.now() - Date.parse(createTime) > longUnused;
  return <Badge tone={isOld ? "warn" : "plain"}>Never used</Badge>;
}

/** The kind, with the issuer if it is a well-known one, and a mark if keys expire soon. */
function KindCell({ identity }: { identity: Identity }) {
  const { claimMatch, servicePrincipal, staticKeys } = identity;
  const more = servicePrincipal
    ? principalName(servicePrincipal)
    : issuerName(claimMatch?.issuer ?? claimMatch?.issuerPattern ?? "");
  return (
    <>
      {kindNames[kindOf(identity)]} {more && <span class="pale">{more}</span>}
      {staticKeys && <KeyMark time={staticKeys.expirationTime} />}
    </>
  );
}

/** Whether keys have expired, or expire soon. */
export function keyState(time: string | undefined): "expired" | "soon" | undefined {
  const left = Date.parse(time ?? "") - Date.now();
  if (left <= 0) return "expired";
  return left < soon ? "soon" : undefined;
}

/** Says that keys have expired or expire soon. */
export function KeyMark({ time }: { time: string | undefined }) {
  const state = keyState(time);
  if (state === undefined) return null;
  if (state === "expired") return <Badge tone="bad">Expired</Badge>;
  return (
    <Badge tone="warn">
      Expires <Time time={time} />
    </Badge>
  );
}

/** The exact subject of accepted tokens, or the pattern between slashes. */
function subjectOf({ claimMatch, staticKeys, awsIdentity }: Identity): string | undefined {
  const exact = claimMatch?.subject ?? staticKeys?.subject ?? awsIdentity?.arn;
  const pattern = claimMatch?.subjectPattern ?? awsIdentity?.arnPattern;
  return exact ?? (pattern === undefined ? undefined : `/${pattern}/`);
}

function SubjectCell({ identity }: { identity: Identity }) {
  const subject = subjectOf(identity);
  if (subject === undefined) return <span class="pale">nothing</span>;
  return (
    <code dir="auto" title={subject}>
      {subject}
    </code>
  );
}

const group: Column<Identity> = {
  title: "Group",
  width: "minmax(8rem, 1fr)",
  from: "medium",
  cell: ({ uid }) => <GroupPath uid={parentOf(uid)} isShort />,
};

/** The columns. If the list is about keys, one of them is their expiry. */
export function identityColumns({
  sortable,
  isAboutKeys,
}: {
  sortable: readonly string[];
  isAboutKeys: boolean;
}): Column<Identity>[] {
  const sort = (field: string) => (sortable.includes(field) ? { sort: field } : {});
  const expiry: Column<Identity> = {
    title: "Keys expire",
    width: "9rem",
    ...sort("expiration_time"),
    cell: ({ staticKeys }) => <Time time={staticKeys?.expirationTime} />,
  };
  return [
    {
      title: "Name",
      ...sort("name"),
      width: "minmax(8rem, 1.4fr)",
      cell: ({ uid, name, description }) => (
        <Link href={addresses.identity(uid)} title={description}>
          <bdi>{shownName(name, uid)}</bdi>
        </Link>
      ),
    },
    {
      title: "Kind",
      width: "minmax(11rem, 1.2fr)",
      from: "medium",
      cell: (identity) => <KindCell identity={identity} />,
    },
    {
      title: "Accepts",
      width: "minmax(10rem, 2fr)",
      from: "wide",
      cell: (identity) => <SubjectCell identity={identity} />,
    },
    group,
    ...(isAboutKeys ? [expiry] : []),
    {
      title: "Last used",
      ...sort("last_used_time"),
      width: "8rem",
      cell: (identity) => <LastUse identity={identity} />,
    },
  ];
}
