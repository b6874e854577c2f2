/** The queries about expiry plans. */
import { useQuery } from "@tanstack/preact-query";
import type { ExpiryPlan } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { type RowWindow, useCountedRows } from "../data/rows.ts";
import { isMoving } from "./states.ts";

/** The beginning of the keys of everything about plans. */
export const plansKey = ["expiryPlans"];

export const planKey = (uid: string) => [...plansKey, "one", uid];

/** While the platform works on a plan, the page asks for it so often, in milliseconds. */
const lookInterval = 5_000;

export function usePlan(uid: string) {
  const client = useClient();
  return useQuery({
    queryKey: planKey(uid),
    queryFn: () => client.expiryPlans.get(uid),
    refetchInterval: ({ state: { data } }) => (data && isMoving(data) ? lookInterval : false),
  });
}

/** The plans of a repository, the newest first. */
export function usePlans(repo: string, enabled: boolean): RowWindow<ExpiryPlan> {
  const client = useClient();
  return useCountedRows<ExpiryPlan>({
    key: [...plansKey, "of", repo],
    list: (position) => client.expiryPlans.list({ childrenOf: repo, ...position }),
    orderBy: "create_time desc",
    enabled,
  });
}
