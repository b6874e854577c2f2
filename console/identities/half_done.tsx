/** Says what exists after the identity was created and its role was not bound. */
import { useQueryClient } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Section } from "../elements/page.tsx";
import { addresses } from "../frame/addresses.ts";
import type { Creation } from "./use_creation.ts";

export function HalfDone({ creation }: { creation: Creation }) {
  const { created, role, error, isBusy, bindAgain } = creation;
  const queries = useQueryClient();
  useEffect(() => void queries.invalidateQueries({ queryKey: ["identities"] }), []);
  if (!created) return null;
  return (
    <Section title="The identity exists, without its role">
      <p role="status">
        <strong>
          <bdi>{created.name}</bdi>
        </strong>{" "}
        was created. The role <strong>{role?.role?.name}</strong> on <bdi>{role?.group?.name}</bdi>{" "}
        was not bound, so the identity can do nothing yet.
      </p>
      {isBusy && <p class="pale">Binding the role…</p>}
      {error && <ErrorNotice error={error} retry={() => void bindAgain()} />}
      <Link class="button" href={addresses.identity(created.uid)}>
        Open the identity
      </Link>
    </Section>
  );
}
