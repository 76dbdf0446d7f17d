//! What the index holds, and what it makes of records that are not as they should be.

mod damage;
mod files;
mod following;
mod made;
mod many;
mod rows;
mod support;
