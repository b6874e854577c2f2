/** The actions on a subscription. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Subscription } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import type { Permissions } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { rootOf } from "../data/uids.ts";
import { useUnchanged } from "../data/unchanged.ts";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { Menu } from "../elements/menu.tsx";
import { useNotify } from "../elements/notices.tsx";
import { addresses } from "../frame/addresses.ts";
import { RedeliverPeriodDialog } from "./redeliver_period.tsx";
import { RotateSecretDialog } from "./rotate_secret.tsx";
import {
  emptyDraft,
  type SubscriptionDraft,
  SubscriptionFields,
  subscriptionPaths,
} from "./subscription_fields.tsx";

interface ActionsProps {
  subscription: Subscription;
  may: Permissions["may"];
}

/** Why the person cannot change a subscription. Undefined if they can. */
export const changeRefusal = (may: Permissions["may"]): string | undefined =>
  refusalOf({ may }, "its group", "CAP_EVENTS_SUBSCRIPTION_UPDATE");

/** Why nothing can be sent to a disabled subscription. */
export const disabledRefusal = ({ disabled }: Subscription): string | undefined =>
  disabled ? "Resume the subscription first." : undefined;

/** The key of the query of one subscription. */
export const subscriptionKey = (uid: string) => ["subscriptions", "one", uid] as const;

type OpenDialog = "edit" | "rotate" | "redeliver" | "delete";

export function SubscriptionActions({ subscription, may }: ActionsProps) {
  const [open, setOpen] = useState<OpenDialog>();
  const close = () => setOpen(undefined);
  const refusal = changeRefusal(may);
  const deleteRefusal = refusalOf({ may }, "its group", "CAP_EVENTS_SUBSCRIPTION_DELETE");
  return (
    <>
      <PauseButton subscription={subscription} refusal={refusal} />
      <Button refusal={refusal} onClick={() => setOpen("edit")}>
        Edit
      </Button>
      <Menu
        actions={[
          { text: "Replace the secret", run: () => setOpen("rotate"), refusal },
          {
            text: "Send a period again",
            run: () => setOpen("redeliver"),
            refusal: refusal ?? disabledRefusal(subscription),
          },
          { text: "Delete", run: () => setOpen("delete"), refusal: deleteRefusal, danger: true },
        ]}
      >
        More
      </Menu>
      {open === "edit" && <EditDialog subscription={subscription} onClose={close} />}
      {open === "rotate" && <RotateSecretDialog subscription={subscription} onClose={close} />}
      {open === "redeliver" && (
        <RedeliverPeriodDialog subscription={subscription} onClose={close} />
      )}
      {open === "delete" && <DeleteDialog subscription={subscription} onClose={close} />}
    </>
  );
}

function PauseButton({
  subscription,
  refusal,
}: {
  subscription: Subscription;
  refusal: string | undefined;
}) {
  const client = useClient();
  const change = useChange<boolean, Subscription>({
    key: subscriptionKey(subscription.uid),
    call: (disabled) => client.subscriptions.update(subscription.uid, { disabled }),
    expect: (shown, disabled) => ({
      ...shown,
      disabled,
      disableReason: disabled ? "A caller has disabled the subscription." : "",
      disableTime: new Date().toISOString(),
    }),
    done: (disabled) =>
      disabled ? "Paused. The sink receives nothing." : "Resumed. The sink receives new events.",
    reverse: (_, disabled) => !disabled,
  });
  const notify = useNotify();
  return (
    <Button
      refusal={refusal}
      busy={change.isPending}
      onClick={() =>
        change.mutate(!subscription.disabled, {
          onError: (error) => notify({ text: "The subscription is as before.", error }),
        })
      }
    >
      {subscription.disabled ? "Resume" : "Pause"}
    </Button>
  );
}

interface SubscriptionDialogProps {
  subscription: Subscription;
  onClose: () => void;
}

function EditDialog({ subscription, onClose }: SubscriptionDialogProps) {
  const client = useClient();
  const { uid, sink = "", eventTypes = [], repoUids = [], tagPattern = "" } = subscription;
  const { grouping, minimumSeverity } = { ...emptyDraft, ...subscription };
  const write = useUnchanged(subscription, (of) => client.subscriptions.get(of));
  const [draft, setDraft] = useState<SubscriptionDraft>({
    ...{ sink, eventTypes, repoUids, tagPattern, grouping, minimumSeverity },
  });
  const change = useChange<SubscriptionDraft, Subscription>({
    key: subscriptionKey(subscription.uid),
    call: async (input) => {
      await write((options) =>
        client.subscriptions.update(uid, input, { ...options, updateMask: subscriptionPaths }),
      );
      onClose();
    },
    done: () => "Saved the subscription.",
  });
  return (
    <FormDialog
      title="Edit the subscription"
      action="Save"
      change={change}
      fields={subscriptionPaths}
      onSubmit={() =>
        change.mutate({
          ...draft,
          sink: draft.sink.trim(),
          tagPattern: draft.tagPattern.trim(),
        })
      }
      onClose={onClose}
    >
      <SubscriptionFields
        group={rootOf(uid)}
        draft={draft}
        onChange={setDraft}
        error={change.error}
      />
    </FormDialog>
  );
}

function DeleteDialog({ subscription: { uid, sink }, onClose }: SubscriptionDialogProps) {
  const client = useClient();
  const [, navigate] = useLocation();
  const change = useChange<string>({
    key: ["subscriptions"],
    call: (subscription) => client.subscriptions.delete(subscription),
    done: () => "Deleted the subscription.",
  });
  return (
    <ConfirmDialog
      title="Delete the subscription"
      action="Delete"
      run={async () => {
        await change.mutateAsync(uid);
        navigate(addresses.subscriptions(rootOf(uid)));
      }}
      onClose={onClose}
    >
      <p>
        <bdi class="events-copied">{sink}</bdi> then receives no more events. Events that are still
        pending are not sent. The secret stops working, and the log of deliveries is deleted.
      </p>
    </ConfirmDialog>
  );
}
