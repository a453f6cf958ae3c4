// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::campaign {

/// The tables of campaign.sqlite. docs/campaigns.md says what each column means.
inline constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS campaign (
  one INTEGER PRIMARY KEY CHECK (one = 1), format INTEGER NOT NULL, name TEXT NOT NULL, file TEXT NOT NULL,
  cases INTEGER NOT NULL, realtime INTEGER NOT NULL, machine TEXT NOT NULL, begun TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS versions (version INTEGER PRIMARY KEY, begun TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sources (
  version INTEGER NOT NULL, kind TEXT NOT NULL, file TEXT NOT NULL, sha256 TEXT NOT NULL,
  PRIMARY KEY (version, kind, file)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cases (
  number INTEGER PRIMARY KEY, rig TEXT NOT NULL, test TEXT NOT NULL, line TEXT NOT NULL, state TEXT NOT NULL,
  attempt INTEGER NOT NULL, version INTEGER NOT NULL, verdict TEXT, says TEXT, seconds REAL, folder TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS cases_that_run ON cases (state) WHERE state <> 'done';
CREATE TABLE IF NOT EXISTS attempts (
  number INTEGER NOT NULL, attempt INTEGER NOT NULL, version INTEGER NOT NULL, state TEXT NOT NULL,
  begun TEXT NOT NULL, seconds REAL, cpu_s REAL, memory_kb INTEGER, status INTEGER, signal INTEGER,
  timed_out INTEGER, verdict TEXT, says TEXT, spoiled TEXT, machine TEXT NOT NULL,
  cpus TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (number, attempt)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS attempts_that_run ON attempts (state) WHERE state = 'running';
CREATE TABLE IF NOT EXISTS drawn (
  number INTEGER NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, value REAL, unit TEXT NOT NULL,
  PRIMARY KEY (number, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verdicts (
  number INTEGER NOT NULL, attempt INTEGER NOT NULL, expectation TEXT NOT NULL, verdict TEXT NOT NULL,
  margin REAL, unit TEXT NOT NULL, severity TEXT NOT NULL, frame INTEGER, says TEXT NOT NULL,
  PRIMARY KEY (number, attempt, expectation)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS measured (
  number INTEGER NOT NULL, attempt INTEGER NOT NULL, quantity TEXT NOT NULL, value REAL, unit TEXT NOT NULL,
  PRIMARY KEY (number, attempt, quantity)) WITHOUT ROWID;
)";

}  // namespace tactus::campaign
