/** The first page: what moved, what needs attention, and what is stored. */
import { useCurrentGroup } from "../data/group.ts";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Page } from "../elements/page.tsx";
import { LazyPage } from "../frame/lazy_page.tsx";
import { DeliveriesCard, EndOfLifeCard, ExpiringCard, StorageCard } from "./attention_cards.tsx";
import { AlarmsCard, MovesCard } from "./moves_cards.tsx";
import { FixedByNewerCard, NewlyAffectedCard, UnsignedCard } from "./security_cards.tsx";

/** Few people see it, so the others do not load it. */
const loadNoGroup = () => import("./no_group.tsx");

export default function Home() {
  const { uid: group, group: shown, isNone, error, retry } = useCurrentGroup();
  if (isNone) return <LazyPage load={loadNoGroup} rest="" />;
  return (
    <Page title={shown?.name ?? "Home"}>
      {group === "" && error ? (
        <ErrorNotice error={error} retry={retry} />
      ) : (
        <div class="home-cards">
          <NewlyAffectedCard group={group} />
          <FixedByNewerCard group={group} />
          <UnsignedCard group={group} />
          <MovesCard group={group} />
          <AlarmsCard group={group} />
          <ExpiringCard group={group} />
          <DeliveriesCard group={group} />
          <EndOfLifeCard group={group} />
          <StorageCard group={group} />
        </div>
      )}
    </Page>
  );
}
