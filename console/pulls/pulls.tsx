/** The pulls of a tag or an image, and the identities that made them. */
import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import type { Client } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { rootOf } from "../data/uids.ts";
import { formatCount } from "../elements/bytes.ts";
import { SelectField } from "../elements/fields.tsx";
import { Section } from "../elements/page.tsx";
import { Answer } from "../elements/states.tsx";
import { exactTime } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { type CountedPulls, countPulls, type PullUnit, startOfPulls } from "./count_pulls.ts";
import { PullPicture } from "./picture.tsx";

/** The page counts so many pulls at most, the newest. */
const maxEvents = 1_000;
const staleTime = 60_000;

/** A time that ends now, with its number of bars. */
interface Period {
  words: string;
  unit: PullUnit;
  units: number;
}

const week: Period = { words: "By day, for 7 days", unit: "day", units: 7 };
const periods: Record<string, Period> = {
  "24h": { words: "By hour, for 24 hours", unit: "hour", units: 24 },
  "7d": week,
  "30d": { words: "By day, for 30 days", unit: "day", units: 30 },
};

/** The pulls of a tag by its name, or of a manifest by its digest. */
export interface PullTarget {
  repo: string;
  tag?: string;
  digest?: string;
}

interface ReadPulls extends CountedPulls {
  unit: PullUnit;
  /** The time of the oldest pull that was read, if there are more than the page counts. */
  since: string | undefined;
}

async function readPulls(client: Client, target: PullTarget, period: string): Promise<ReadPulls> {
  const { repo, tag, digest } = target;
  const { unit, units } = periods[period] ?? week;
  const now = Date.now();
  const events = await client.events
    .list({
      descendantsOf: rootOf(repo),
      repoUid: repo,
      ...(tag === undefined ? {} : { tag }),
      types: ["registry.pull.v1"],
      since: new Date(startOfPulls(unit, units, now)).toISOString(),
      pageSize: 200,
    })
    .all(maxEvents);
  const counted = countPulls(events, { unit, units, now, ...(digest ? { digest } : {}) });
  const since = events.length >= maxEvents ? events.at(-1)?.createTime : undefined;
  return { ...counted, unit, since };
}

export function Pulls(target: PullTarget) {
  const client = useClient();
  const { get, set } = useParameters();
  const organization = rootOf(target.repo);
  const permissions = useMay(organization);
  const refusal = refusalOf(permissions, "the organization", "CAP_EVENTS_LIST");
  const period = Object.hasOwn(periods, get("pulled")) ? get("pulled") : "7d";
  const query = useQuery({
    queryKey: ["pulls", target, period],
    queryFn: () => readPulls(client, target, period),
    enabled: refusal === undefined && !permissions.isPending,
    staleTime,
  });
  return (
    <Section
      title="Who pulled this, and when"
      actions={
        <SelectField
          label="Pulls"
          value={period}
          options={Object.entries(periods).map(([name, { words }]) => [name, words] as const)}
          onChange={(name) => set({ pulled: name })}
        />
      }
    >
      {refusal ? (
        <p class="pale">{refusal}</p>
      ) : (
        <Answer query={query} lines={3}>
          {(pulls) => <Counted pulls={pulls} organization={organization} />}
        </Answer>
      )}
    </Section>
  );
}

function Counted({ pulls, organization }: { pulls: ReadPulls; organization: string }) {
  const { count, since } = pulls;
  return (
    <>
      {since !== undefined && (
        <p class="pale">
          There are more than {formatCount(maxEvents)} pulls. The picture begins at{" "}
          {exactTime(since)}.
        </p>
      )}
      {count === 0 ? (
        <p class="pale">
          No pull is recorded in this time. The platform records pulls only while a{" "}
          <Link href={addresses.subscriptions(organization)}>subscription</Link> of the organization
          wants <a href="/docs/events">events about them</a>.
        </p>
      ) : (
        <PullPicture pulls={pulls} unit={pulls.unit} organization={organization} />
      )}
    </>
  );
}
