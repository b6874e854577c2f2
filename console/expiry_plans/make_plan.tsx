/** The dialog that makes an expiry plan. First it shows what the plan would contain. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { ExpiryPlan } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { formatBytes } from "../elements/bytes.ts";
import { TextField, violationOf } from "../elements/fields.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { Answer } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { contentsText, sizeOf } from "./states.ts";
import { plansKey } from "./use_plan.ts";

interface DialogProps {
  repo: { uid: string; name: string };
  onClose: () => void;
}

export function MakePlanDialog({ repo: { uid, name }, onClose }: DialogProps) {
  const client = useClient();
  const [, navigate] = useLocation();
  const [description, setDescription] = useState("");
  const trial = useQuery({
    queryKey: [...plansKey, "trial", uid],
    queryFn: () => client.expiryPlans.create(uid, {}, { validateOnly: true }),
    // Every dialog tries it again, because pulls and moves change what expires.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const change = useChange<string>({
    key: plansKey,
    call: async (text) => {
      const plan = await client.expiryPlans.create(uid, { description: text });
      onClose();
      navigate(addresses.expiryPlan(plan.uid));
    },
    done: () => `Made a plan for ${name}.`,
  });
  return (
    <FormDialog
      title={`New expiry plan of ${name}`}
      action="Make the plan"
      change={change}
      fields={["description"]}
      refusal={refusalOfTrial(trial.data, trial.error)}
      onSubmit={() => change.mutate(description.trim())}
      onClose={onClose}
    >
      <Answer query={trial} lines={2}>
        {(plan) => <Trial plan={plan} />}
      </Answer>
      <TextField
        label="Description"
        value={description}
        onInput={setDescription}
        hint="Why you make the plan, for those who approve it."
        error={violationOf(change.error, "description")}
        maxLength={512}
      />
    </FormDialog>
  );
}

function refusalOfTrial(plan: ExpiryPlan | undefined, error: Error | null): string | undefined {
  if (error) return "The platform cannot make this plan now.";
  if (!plan) return "The platform is looking for what expires.";
  return sizeOf(plan) === 0 ? "Nothing expires now." : undefined;
}

/** The contents that the plan would have. */
function Trial({ plan }: { plan: ExpiryPlan }) {
  if (sizeOf(plan) === 0)
    return <p role="status">Nothing expires now, so a plan would be empty.</p>;
  return (
    <>
      <p role="status">
        The plan would have <b>{contentsText(plan)}</b>, with {formatBytes(plan.bytes)}. Making it
        deletes nothing.
      </p>
      {plan.needsApproval && <p>Another person must approve it before it can be carried out.</p>}
      {plan.truncated && <p>More expires than fits into one plan. The next plan has the rest.</p>}
    </>
  );
}
