/** How far the records of advisories are matched with the SBOMs of images, while that happens. */
import { useQuery } from "@tanstack/preact-query";
import { useRef } from "preact/hooks";
import { useClient } from "../data/platform.tsx";
import { formatCount } from "../elements/bytes.ts";

/** The beginning of the keys of these queries. */
export const matchingKey = "matching";

/** How often the platform is asked while records are left, in milliseconds. */
const interval = 2_000;

/** A bar that disappears when nothing is left. Mount it again for another group. */
export function MatchingProgress({ group }: { group: string }) {
  const client = useClient();
  const { data } = useQuery({
    queryKey: [matchingKey, group],
    queryFn: () => client.matchings.getMatching({ uid: group }),
    refetchInterval: ({ state }) => ((state.data?.advisoriesLeft ?? 0) > 0 ? interval : false),
  });
  const left = data?.advisoriesLeft ?? 0;
  const most = useRef(0);
  most.current = left === 0 ? 0 : Math.max(most.current, left);
  if (left === 0) return null;
  const matched = most.current - left;
  return (
    <p class="vulnerabilities-matching" role="status">
      <progress aria-label="Records that are matched" value={matched} max={most.current} />
      <span>
        {formatCount(matched)} {matched === 1 ? "record" : "records"} matched with the SBOMs of
        images, {formatCount(left)} left
      </span>
    </p>
  );
}
