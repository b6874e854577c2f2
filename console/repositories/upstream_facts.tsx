/** The upstream of a mirror, and its state as the last requests found it. */
import type { Repo } from "../../client/index.ts";
import { Facts, Section } from "../elements/page.tsx";
import { Time } from "../elements/time.tsx";

/** Shows nothing for a repository that is not a mirror. */
export function UpstreamFacts({
  repo: { upstream, upstreamSchedule, upstreamStatus },
}: {
  repo: Repo;
}) {
  if (!upstream) return null;
  const { checkTime, error, retryTime, pullLimit, pullsRemaining } = upstreamStatus ?? {};
  const images = upstream.images?.join(", ") || "all";
  const pulls =
    pullLimit === undefined ? undefined : `${pullsRemaining ?? "not known"} of ${pullLimit}`;
  return (
    <Section title="Mirror">
      <p>
        A pull fetches what this repository does not have from its upstream. See{" "}
        <a href="/docs/mirror-docker-hub">how to use a mirror</a>.
      </p>
      <Facts
        facts={[
          ["Upstream", upstream.address],
          ["Images below it", upstream.prefix ? images : undefined],
          ["User name", upstream.username],
          ["Watched tags", upstreamSchedule?.tags?.join(", ")],
          ["Last answer", checkTime && <Time key="answer" time={checkTime} />],
          ["Failure", error],
          ["Not asked until", retryTime && <Time key="retry" time={retryTime} />],
          ["Pulls left at the upstream", pulls],
        ]}
      />
    </Section>
  );
}
