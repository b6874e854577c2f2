/** The tags and images of an expiry plan. */
import { useMemo, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { ExpiryOutcome, ExpiryPlan, ExpiryPlanItem } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { useUncountedRows } from "../data/rows.ts";
import { parentOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { formatBytes } from "../elements/bytes.ts";
import { Digest } from "../elements/copy.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Facts } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { ruleAddress } from "../tag_rules/refusals.ts";
import { outcomeWords } from "./states.ts";
import { plansKey } from "./use_plan.ts";

interface Shown {
  repo: string;
  onOpen: (item: ExpiryPlanItem) => void;
}

const columns = ({ repo, onOpen }: Shown): Column<ExpiryPlanItem>[] => [
  {
    title: "Tag or image",
    width: "minmax(5rem, 1.2fr)",
    cell: (item) => <ItemLink item={item} repo={repo} />,
  },
  {
    title: "Rule",
    width: "minmax(6rem, 1fr)",
    from: "wide",
    cell: (item) => <RuleLink item={item} repo={repo} />,
  },
  {
    title: "Why",
    width: "minmax(4rem, 2fr)",
    cell: (item) => (
      <button type="button" class="text-button expiry-plans-why" onClick={() => onOpen(item)}>
        <bdi>{item.note || item.reason || "Details"}</bdi>
      </button>
    ),
  },
  {
    title: "Last pull",
    width: "7.5rem",
    from: "wide",
    cell: ({ lastPullTime }) => <Time time={lastPullTime} absent="none known" />,
  },
  {
    title: "Size",
    align: "end",
    width: "5rem",
    from: "medium",
    cell: ({ tag, bytes }) => (tag ? <span class="pale">–</span> : formatBytes(bytes)),
  },
  { title: "Outcome", width: "6.75rem", cell: ({ outcome }) => <Outcome outcome={outcome} /> },
];

function ItemLink({ item: { tag, digest = "" }, repo }: { item: ExpiryPlanItem; repo: string }) {
  if (tag)
    return (
      <Link href={addresses.tagNamed(repo, tag)} title={tag}>
        <bdi>{tag}</bdi>
      </Link>
    );
  // In a narrow column, the algorithm would leave no room for the digits.
  const digits = shortDigest(digest).slice(digest.indexOf(":") + 1);
  return (
    <Link href={addresses.image(repo, digest)}>
      <code title={digest}>{digits}</code>
    </Link>
  );
}

function RuleLink({ item: { tagRuleUid, tagRule }, repo }: { item: ExpiryPlanItem; repo: string }) {
  if (!tagRuleUid) return <span class="pale">–</span>;
  return (
    <Link href={ruleAddress(tagRuleUid, repo)}>
      <bdi>{tagRule || "a rule"}</bdi>
    </Link>
  );
}

function Outcome({ outcome }: { outcome: ExpiryOutcome | undefined }) {
  const [, word, tone] = outcomeWords.find(([key]) => key === outcome) ?? ["", "Unknown", "plain"];
  return <Badge tone={tone as "plain"}>{word}</Badge>;
}

export function PlanItems({ plan: { uid } }: { plan: ExpiryPlan }) {
  const client = useClient();
  const { get, set } = useParameters();
  const [opened, setOpened] = useState<ExpiryPlanItem>();
  const repo = parentOf(uid);
  const outcome = outcomeWords.find(([key]) => key === get("outcome"))?.[0];
  const rows = useUncountedRows<ExpiryPlanItem>({
    key: [...plansKey, "items", uid, outcome],
    list: (position) =>
      client.expiryPlans.listExpiryPlanItems({ planUid: uid, outcome, ...position }),
  });
  const shown = useMemo(() => columns({ repo, onOpen: setOpened }), [repo]);
  return (
    <>
      <div class="toolbar">
        <SelectField
          label="Outcome"
          value={outcome ?? ""}
          options={[["", "Any"], ...outcomeWords.map(([key, word]) => [key, word] as const)]}
          onChange={(value) => set({ outcome: value })}
        />
        <RowCount rows={rows} noun={["row", "rows"]} />
      </div>
      <Table
        label="Tags and images of the plan"
        columns={shown}
        rows={rows}
        keyOf={({ tag = "", digest = "" }) => `${tag} ${digest}`}
        empty={
          <Empty title={outcome ? "Nothing has this outcome" : "The plan is empty"}>
            <p>
              {outcome
                ? "Choose another outcome to see the rest."
                : "Nothing expired when the plan was made."}
            </p>
          </Empty>
        }
      />
      {opened && <ItemDialog item={opened} repo={repo} onClose={() => setOpened(undefined)} />}
    </>
  );
}

interface ItemDialogProps {
  item: ExpiryPlanItem;
  repo: string;
  onClose: () => void;
}

/** Everything about one row, because narrow columns cut off long texts. */
function ItemDialog({ item, repo, onClose }: ItemDialogProps) {
  const { tag, digest = "", reason, lastPullTime, bytes, outcome, note } = item;
  return (
    <Dialog title={tag || shortDigest(digest)} onClose={onClose}>
      <Facts
        facts={[
          ["Digest", digest && <Digest digest={digest} />],
          ["Rule", <RuleLink key="rule" item={item} repo={repo} />],
          ["Why it expires", reason && <bdi>{reason}</bdi>],
          ["Last pull", <Time key="pull" time={lastPullTime} absent="none known" />],
          ["Size", tag ? undefined : formatBytes(bytes)],
          ["Outcome", <Outcome key="outcome" outcome={outcome} />],
          ["Why it has this outcome", note && <bdi>{note}</bdi>],
        ]}
      />
    </Dialog>
  );
}
