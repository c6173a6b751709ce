/** The user's changes to the columns of a table. */
export interface ColumnLayout {
  /** Ids in the chosen order. Other columns follow. Empty for the order of the table. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** Undefined for the default: the keys. */
  readonly pinned: readonly string[] | undefined;
  /** Pixels by id. */
  readonly widths: readonly (readonly [id: string, width: number])[];
}

export const plainLayout: ColumnLayout = { order: [], hidden: [], pinned: undefined, widths: [] };

/** The parts of a column that a layout refers to. */
interface Column {
  readonly id: string;
  readonly isKey: boolean;
  readonly width: number;
}

const [minWidth, maxWidth] = [48, 2000];

/** The columns to show: pinned ones first, without hidden ones, with the chosen widths. */
export function laidOut<Each extends Column>(columns: readonly Each[], layout: ColumnLayout): Each[] {
  const widths = new Map(layout.widths);
  const shown = inOrder(columns, layout)
    .filter(({ id }) => !layout.hidden.includes(id))
    .map((column) => ({ ...column, width: widths.get(column.id) ?? column.width }));
  return [
    ...shown.filter((column) => isPinned(column, layout)),
    ...shown.filter((column) => !isPinned(column, layout)),
  ];
}

export const isPinned = ({ id, isKey }: Omit<Column, "width">, { pinned }: ColumnLayout): boolean =>
  pinned?.includes(id) ?? isKey;

/** All columns in the chosen order, including hidden ones. */
export function inOrder<Each extends Pick<Column, "id">>(
  columns: readonly Each[],
  { order }: ColumnLayout,
): readonly Each[] {
  const places = new Map(order.map((id, at) => [id, at]));
  return columns.toSorted((a, b) => (places.get(a.id) ?? order.length) - (places.get(b.id) ?? order.length));
}

export function withWidth(layout: ColumnLayout, id: string, width: number): ColumnLayout {
  const others = layout.widths.filter(([own]) => own !== id);
  return { ...layout, widths: [...others, [id, Math.round(Math.min(maxWidth, Math.max(minWidth, width)))]] };
}

export const withHidden = (
  layout: ColumnLayout,
  ids: readonly string[],
  isHidden: boolean,
): ColumnLayout => ({
  ...layout,
  hidden: [...layout.hidden.filter((id) => !ids.includes(id)), ...(isHidden ? ids : [])],
});

export function withPin(layout: ColumnLayout, columns: readonly Column[], id: string): ColumnLayout {
  const pinned = columns.filter((column) => isPinned(column, layout)).map((column) => column.id);
  return { ...layout, pinned: pinned.includes(id) ? pinned.filter((own) => own !== id) : [...pinned, id] };
}

/** Moves a column to the position of another one. */
export function withMove(
  layout: ColumnLayout,
  columns: readonly Pick<Column, "id">[],
  id: string,
  target: string,
): ColumnLayout {
  const ids = inOrder(columns, layout).map((column) => column.id);
  const [from, to] = [ids.indexOf(id), ids.indexOf(target)];
  if (from === -1 || to === -1) return layout;
  return { ...layout, order: ids.toSpliced(from, 1).toSpliced(to, 0, id) };
}

const nameOf = (table: string, className: string | undefined): string =>
  `partita-studio-columns:${JSON.stringify([table, className ?? null])}`;

/** Reads the layout that this browser has stored for a table. */
export function readLayout(table: string, className: string | undefined): ColumnLayout {
  try {
    const stored = JSON.parse(
      localStorage.getItem(nameOf(table, className)) ?? "{}",
    ) as Partial<ColumnLayout>;
    return { ...plainLayout, ...stored };
  } catch {
    return plainLayout;
  }
}

export function storeLayout(table: string, className: string | undefined, layout: ColumnLayout): void {
  const name = nameOf(table, className);
  if (layout === plainLayout) localStorage.removeItem(name);
  else localStorage.setItem(name, JSON.stringify(layout));
}
