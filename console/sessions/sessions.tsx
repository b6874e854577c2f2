/** Where the person is signed in, or the people of the group, and the end of these sessions. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import type { Session } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { useRefresh } from "../data/refresh.ts";
import { refusalOf } from "../data/refusals.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { Name } from "../elements/name.tsx";
import { Page, Section, Views } from "../elements/page.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { type Column, rowsOf, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";

const kinds: Record<string, string> = {
  KIND_LOGIN: "Command line",
  KIND_PROGRAM: "Program",
  KIND_HEADLESS: "Machine without a browser",
};

export default function SessionsPage() {
  const { uid: group, group: shown } = useCurrentGroup();
  const { get } = useParameters();
  const isOfGroup = get("view") === "group";
  const name = shown?.name ?? "this group";
  return (
    <Page
      title="Where am I signed in"
      lead="End a session here, and its tokens fail with the next call, on every machine."
    >
      <Views
        label="Whose sessions"
        current={addresses.sessions(group, isOfGroup ? "group" : undefined)}
        views={[
          [addresses.sessions(group), "You"],
          [addresses.sessions(group, "group"), `Everyone in ${name}`],
        ]}
      />
      {isOfGroup ? <OfGroup group={group} name={name} /> : <Sessions />}
    </Page>
  );
}

function OfGroup({ group, name }: { group: string; name: string }) {
  const permissions = useMay(group);
  const refusal = refusalOf(permissions, name, "CAP_IAM_IDENTITY_LIST");
  if (!refusal)
    return (
      <Sessions group={group} refusal={refusalOf(permissions, name, "CAP_IAM_IDENTITY_UPDATE")} />
    );
  return (
    <Empty title="You cannot see these sessions">
      <p>{refusal}</p>
    </Empty>
  );
}

/** `refusal` is why the person may not end them. Without a group they are the person's own. */
function Sessions({ group, refusal }: { group?: string; refusal?: string | undefined }) {
  const client = useClient();
  const [ending, setEnding] = useState<readonly Session[]>();
  const query = useQuery({
    queryKey: ["sessions", group ?? ""],
    queryFn: () => client.sessions.searchSessions(group === undefined ? {} : { groupUid: group }),
  });
  return (
    <Answer query={query} lines={4}>
      {({ sessions = [] }) => {
        const others = sessions.filter(({ current }) => !current);
        return (
          <Section
            title="Sessions"
            actions={
              <Button
                kind="danger"
                refusal={refusal ?? (others.length > 0 ? undefined : "There are no others.")}
                onClick={() => setEnding(others)}
              >
                End all others
              </Button>
            }
          >
            <Table
              label="Sessions"
              rows={rowsOf(sessions)}
              keyOf={({ uid = "" }) => uid}
              columns={columns(group !== undefined, refusal, (session) => setEnding([session]))}
              empty={<Empty title="There are no sessions" />}
            />
            {ending && <EndDialog ending={ending} onClose={() => setEnding(undefined)} />}
          </Section>
        );
      }}
    </Answer>
  );
}

const columns = (
  hasPeople: boolean,
  refusal: string | undefined,
  onEnd: (session: Session) => void,
): Column<Session>[] => [
  ...(hasPeople
    ? [
        {
          title: "Person",
          cell: ({ identityUid = "" }: Session) => <Name kind="identities" uid={identityUid} />,
        },
      ]
    : []),
  {
    title: "What",
    cell: ({ kind = "", current }) => (
      <>
        {kinds[kind] ?? "Login"} {current && <Badge tone="good">this one</Badge>}
      </>
    ),
  },
  { title: "Returned to", cell: ({ client }) => <bdi>{client}</bdi>, from: "medium" },
  {
    title: "Browser",
    width: "minmax(6rem, 2fr)",
    cell: ({ userAgent }) => <bdi title={userAgent}>{userAgent}</bdi>,
    from: "wide",
  },
  {
    title: "Last used",
    cell: ({ lastUsedTime }) => <Time time={lastUsedTime} />,
    from: "medium",
  },
  { title: "Expires", cell: ({ expireTime }) => <Time time={expireTime} />, from: "medium" },
  {
    title: "End",
    width: "4rem",
    isTitleHidden: true,
    align: "end",
    cell: (session) => (
      <Button refusal={refusal} onClick={() => onEnd(session)}>
        End
      </Button>
    ),
  },
];

function EndDialog({ ending, onClose }: { ending: readonly Session[]; onClose: () => void }) {
  const client = useClient();
  const { refresh, notify } = useRefresh(["sessions"]);
  const what = ending.length === 1 ? "the session" : `${ending.length} sessions`;
  return (
    <ConfirmDialog
      title={`End ${what}`}
      action="End"
      onClose={onClose}
      run={async () => {
        await client.sessions.endSessions({ uids: ending.flatMap(({ uid }) => uid ?? []) });
        await refresh();
        notify({ text: `Ended ${what}.` });
      }}
    >
      <p>
        All of its tokens fail with the next call. To come back, the person logs in again.
        {ending.some(({ current }) => current) && " This is the session of this page."}
      </p>
    </ConfirmDialog>
  );
}
