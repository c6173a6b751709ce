/** The written part of a page about an error code. */
export interface ErrorPage {
  /** When the error happens: one to three sentences. */
  readonly cause: string;
  /** What to do: one to three sentences. */
  readonly remedy: string;
  /**
   * Code that fails with this error. It may use the declarations of `setting.ts` and all names of the packages. If `needs`
   * is set, the code shows how to handle the error instead.
   */
  readonly example: string;
  /** What the example needs and a test lacks, such as "a service in Azure"; undefined if the example is executed. */
  readonly needs?: string;
}

/** The pages of one area, by code. */
export type AreaPages = Readonly<Record<string, ErrorPage>>;

/** An area of codes, as the overview lists it. */
export interface ErrorArea {
  readonly title: string;
  readonly pages: AreaPages;
}
