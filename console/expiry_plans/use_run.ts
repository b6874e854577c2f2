/** Calls that carry out or undo a plan. Each call does a part of the work, so it is repeated until nothing is left. */
import { type QueryKey, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Client, ExpiryPlan, ExpiryPlanState } from "../../client/index.ts";
import { asError } from "../data/errors.ts";
import { useClient } from "../data/platform.tsx";
import { useNotify } from "../elements/notices.tsx";
import { planKey, plansKey } from "./use_plan.ts";

type Way = "carryOut" | "undo";

interface Work {
  call: (client: Client, uid: string) => Promise<ExpiryPlan>;
  /** The state in which work is left. */
  working: ExpiryPlanState;
  /** The states in which nothing is left to do, whoever did it. The first one is the aim. */
  ended: readonly ExpiryPlanState[];
  /** The notice at the end. */
  done: string;
}

const works: Record<Way, Work> = {
  carryOut: {
    call: (client, uid) => client.expiryPlans.carryOutExpiryPlan({ uid }),
    working: "EXPIRY_PLAN_STATE_RUNNING",
    ended: ["EXPIRY_PLAN_STATE_DONE", "EXPIRY_PLAN_STATE_CANCELED"],
    done: "Carried out the plan.",
  },
  undo: {
    call: (client, uid) => client.expiryPlans.undoExpiryPlan({ uid }),
    working: "EXPIRY_PLAN_STATE_UNDOING",
    ended: ["EXPIRY_PLAN_STATE_UNDONE"],
    done: "Undid the plan.",
  },
};

/** Between two calls, in milliseconds: usually, and after one that did nothing because it waits for pulls. */
const pauses = { usual: 300, idle: 3_000 };

/** A call takes some seconds. Meanwhile the page asks so often how far it has come, in milliseconds. */
const lookInterval = 2_000;

/** The work on a plan from this page. */
export interface Run {
  isBusy: boolean;
  /** Why the work has stopped before its end. */
  error: Error | undefined;
  /** Begins or continues the work, until nothing is left, as long as the page is open. */
  begin(way: Way): void;
}

/** Returns the work on the plan with this uid. It ends when the person leaves the page or someone cancels the plan. */
export function useRun(uid: string): Run {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const isHere = useIsHere();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const stateNow = () => queries.getQueryData<ExpiryPlan>(planKey(uid))?.state;
  /** How many tags and images the work has been done for, or left alone. */
  const workedNow = () => {
    const plan = queries.getQueryData<ExpiryPlan>(planKey(uid));
    return (plan?.deletedCount ?? 0) + (plan?.leftCount ?? 0) + (plan?.restoredCount ?? 0);
  };
  const hasEnded = ({ ended }: Work) => ended.some((state) => state === stateNow());
  const step = async ({ call }: Work) => {
    const plan = await call(client, uid);
    await queries.cancelQueries({ queryKey: planKey(uid) });
    queries.setQueryData(planKey(uid), plan);
  };
  const refresh = (...keys: QueryKey[]) =>
    Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  const finish = async (work: Work) => {
    let worked = workedNow();
    try {
      await step(work);
      while (isHere.current && stateNow() === work.working) {
        const pause = workedNow() === worked ? pauses.idle : pauses.usual;
        worked = workedNow();
        await new Promise((resolve) => setTimeout(resolve, pause));
        await step(work);
      }
      if (isHere.current && stateNow() === work.ended[0]) notify({ text: work.done });
    } catch (reason) {
      await refresh(planKey(uid));
      if (!hasEnded(work)) setError(asError(reason));
    }
  };
  return {
    isBusy,
    error,
    begin(way) {
      setBusy(true);
      setError(undefined);
      const looking = setInterval(() => void refresh(planKey(uid)), lookInterval);
      void finish(works[way]).finally(() => {
        clearInterval(looking);
        setBusy(false);
        void refresh(plansKey, ["tags"]);
      });
    },
  };
}

/** Whether the component is still on the page. */
function useIsHere() {
  const isHere = useRef(true);
  useEffect(
    () => () => {
      isHere.current = false;
    },
    [],
  );
  return isHere;
}
