CREATE TABLE annotations (
dataset_id TEXT NOT NULL,
position INTEGER NOT NULL,
item_id TEXT NOT NULL,
annotator TEXT NOT NULL,
correctness DOUBLE,
relevance DOUBLE,
correct INTEGER NOT NULL,
incorrect INTEGER NOT NULL,
irrelevant INTEGER NOT NULL,
missing INTEGER NOT NULL,
note TEXT NOT NULL,
extra JSON,
points JSON NOT NULL,
PRIMARY KEY (dataset_id, position),
FOREIGN KEY(dataset_id) REFERENCES datasets (id) ON DELETE CASCADE
)
CREATE INDEX annotations_item ON annotations (dataset_id, item_id)
CREATE TABLE calls (
id INTEGER NOT NULL,
run_id TEXT NOT NULL,
item_id TEXT,
judge TEXT,
attempt INTEGER NOT NULL,
"key" TEXT NOT NULL,
created DATETIME NOT NULL,
cached BOOLEAN NOT NULL,
failure TEXT,
reason TEXT,
model TEXT NOT NULL,
base_url TEXT,
parameters JSON NOT NULL,
schema_version TEXT NOT NULL,
repeat INTEGER NOT NULL,
tokens_in INTEGER,
tokens_out INTEGER,
cost DOUBLE,
seconds DOUBLE,
PRIMARY KEY (id),
FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
)
CREATE INDEX calls_run ON calls (run_id, item_id, judge)
CREATE TABLE datasets (
id TEXT NOT NULL,
name TEXT NOT NULL,
created DATETIME NOT NULL,
digest TEXT NOT NULL,
format TEXT NOT NULL,
encoding TEXT,
layout TEXT,
constructed BOOLEAN NOT NULL,
mapping JSON NOT NULL,
answers INTEGER NOT NULL,
documents INTEGER NOT NULL,
problems INTEGER NOT NULL,
PRIMARY KEY (id)
)
CREATE TABLE documents (
dataset_id TEXT NOT NULL,
document_id TEXT NOT NULL,
position INTEGER NOT NULL,
name TEXT NOT NULL,
type TEXT,
text TEXT NOT NULL,
PRIMARY KEY (dataset_id, document_id),
FOREIGN KEY(dataset_id) REFERENCES datasets (id) ON DELETE CASCADE
)
CREATE TABLE evidence (
judgement_id INTEGER NOT NULL,
point_position INTEGER NOT NULL,
position INTEGER NOT NULL,
quote TEXT NOT NULL,
document_id TEXT,
start INTEGER,
"end" INTEGER,
similarity DOUBLE,
PRIMARY KEY (judgement_id, point_position, position),
FOREIGN KEY(judgement_id, point_position) REFERENCES points (judgement_id, position) ON DELETE CASCADE
)
WITHOUT ROWID
CREATE TABLE expert_labels (
dataset_id TEXT NOT NULL,
item_id TEXT NOT NULL,
annotator TEXT NOT NULL,
mode TEXT NOT NULL,
run_id TEXT,
judge TEXT,
points JSON NOT NULL,
committed JSON,
correctness DOUBLE,
relevance DOUBLE,
correct INTEGER NOT NULL,
incorrect INTEGER NOT NULL,
irrelevant INTEGER NOT NULL,
missing INTEGER NOT NULL,
note TEXT NOT NULL,
seconds DOUBLE NOT NULL,
started DATETIME NOT NULL,
saved DATETIME NOT NULL,
finished DATETIME,
PRIMARY KEY (dataset_id, item_id, annotator),
FOREIGN KEY(dataset_id) REFERENCES datasets (id) ON DELETE CASCADE
)
CREATE INDEX expert_labels_annotator ON expert_labels (dataset_id, annotator)
CREATE TABLE findings (
judgement_id INTEGER NOT NULL,
"group" TEXT NOT NULL,
"by" TEXT NOT NULL,
status TEXT NOT NULL,
failure TEXT,
reason TEXT,
detail JSON NOT NULL,
calls JSON NOT NULL,
notes JSON NOT NULL,
PRIMARY KEY (judgement_id, "group", "by"),
FOREIGN KEY(judgement_id) REFERENCES judgements (id) ON DELETE CASCADE
)
CREATE INDEX findings_status ON findings (status, judgement_id)
CREATE TABLE item_texts (
dataset_id TEXT NOT NULL,
position INTEGER NOT NULL,
answer TEXT NOT NULL,
reference TEXT,
contexts JSON,
PRIMARY KEY (dataset_id, position),
FOREIGN KEY(dataset_id) REFERENCES datasets (id) ON DELETE CASCADE
)
CREATE TABLE items (
dataset_id TEXT NOT NULL,
position INTEGER NOT NULL,
item_id TEXT NOT NULL,
question TEXT NOT NULL,
model TEXT,
document_id TEXT,
"row" INTEGER,
minutes DOUBLE,
human_correctness DOUBLE,
human_relevance DOUBLE,
extra JSON,
PRIMARY KEY (dataset_id, position),
UNIQUE (dataset_id, item_id),
FOREIGN KEY(dataset_id) REFERENCES datasets (id) ON DELETE CASCADE
)
CREATE TABLE judgements (
id INTEGER NOT NULL,
run_id TEXT NOT NULL,
item_id TEXT NOT NULL,
judge TEXT NOT NULL,
status TEXT NOT NULL,
failure TEXT,
reason TEXT,
correct INTEGER NOT NULL,
incorrect INTEGER NOT NULL,
irrelevant INTEGER NOT NULL,
missing INTEGER NOT NULL,
untagged INTEGER NOT NULL,
created DATETIME NOT NULL,
calls JSON NOT NULL,
notes JSON NOT NULL,
PRIMARY KEY (id),
UNIQUE (run_id, item_id, judge),
FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
)
CREATE INDEX judgements_state ON judgements (run_id, status, created)
CREATE TABLE migrations (
name TEXT NOT NULL,
applied DATETIME NOT NULL,
PRIMARY KEY (name)
)
CREATE TABLE points (
judgement_id INTEGER NOT NULL,
position INTEGER NOT NULL,
point_id TEXT NOT NULL,
text TEXT NOT NULL,
tag TEXT,
reason TEXT NOT NULL,
start INTEGER,
"end" INTEGER,
quote TEXT,
confidence DOUBLE,
PRIMARY KEY (judgement_id, position),
FOREIGN KEY(judgement_id) REFERENCES judgements (id) ON DELETE CASCADE
)
WITHOUT ROWID
CREATE TABLE problems (
dataset_id TEXT NOT NULL,
position INTEGER NOT NULL,
severity TEXT NOT NULL,
message TEXT NOT NULL,
file TEXT,
"row" INTEGER,
"column" TEXT,
PRIMARY KEY (dataset_id, position),
FOREIGN KEY(dataset_id) REFERENCES datasets (id) ON DELETE CASCADE
)
CREATE TABLE prompts (
version TEXT NOT NULL,
created DATETIME NOT NULL,
note TEXT NOT NULL,
pieces JSON NOT NULL,
PRIMARY KEY (version)
)
CREATE TABLE replies (
"key" TEXT NOT NULL,
created DATETIME NOT NULL,
model TEXT,
finish_reason TEXT,
usage JSON NOT NULL,
cost DOUBLE,
seconds DOUBLE,
text TEXT NOT NULL,
PRIMARY KEY ("key")
)
CREATE TABLE retries (
run_id TEXT NOT NULL,
item_id TEXT NOT NULL,
judge TEXT NOT NULL,
tries INTEGER NOT NULL,
PRIMARY KEY (run_id, item_id, judge),
FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE
)
CREATE TABLE runs (
id TEXT NOT NULL,
name TEXT NOT NULL,
dataset_id TEXT NOT NULL,
settings JSON NOT NULL,
versions JSON NOT NULL,
created DATETIME NOT NULL,
total INTEGER NOT NULL,
revision INTEGER NOT NULL,
cancel_requested DATETIME,
capped_at DOUBLE,
beat DATETIME,
pid INTEGER,
pid_started TEXT,
host TEXT,
worker TEXT,
PRIMARY KEY (id),
FOREIGN KEY(dataset_id) REFERENCES datasets (id)
)
CREATE TABLE scores (
judgement_id INTEGER NOT NULL,
metric TEXT NOT NULL,
value DOUBLE,
status TEXT NOT NULL,
reason TEXT,
numerator DOUBLE,
denominator DOUBLE,
PRIMARY KEY (judgement_id, metric),
FOREIGN KEY(judgement_id) REFERENCES judgements (id) ON DELETE CASCADE
)
WITHOUT ROWID
