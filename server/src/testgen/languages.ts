/** Languages of generated tests: `sql` is a script of two or more sessions for people, the others run by themselves. */
export const TEST_LANGUAGES = ["sql", "ts", "java", "python"] as const;
export type TestLanguage = (typeof TEST_LANGUAGES)[number];
